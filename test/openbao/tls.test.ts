import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { after, before, test } from 'node:test';

import { createKubernetesLogin } from '../../src/openbao/kubernetes-login.ts';
import { startHttpStub } from '../http-stub.ts';
import { troubleOf } from '../trouble-of.ts';
import { startOpenBao, type OpenBao } from '../world/servers/openbao.ts';
import { issueCertificate, setUpPki, type Certificate } from '../world/servers/pki.ts';
import { exampleCredential, examplePath, storeAt } from './example.ts';

let issuer: OpenBao;
let good: Certificate;
let misnamed: Certificate;

before(async () => {
  issuer = await startOpenBao({ mode: 'dev' });
  await setUpPki(issuer, { commonName: 'OpenBao test CA' });
  good = await issueCertificate(issuer, { commonName: 'bao', dnsNames: [], ipAddresses: ['127.0.0.1'] });
  misnamed = await issueCertificate(issuer, {
    commonName: 'bao',
    dnsNames: ['bao.example.com'],
    ipAddresses: [],
  });
});
after(() => issuer.close());

const foreign = {
  body: {
    data: {
      data: {},
      metadata: { version: 3, created_time: 't', deletion_time: '', destroyed: false },
    },
  },
};

test('a certificate of the given CA for this address is accepted', async () => {
  await using stub = await startHttpStub(() => foreign, good);
  const { stored } = await storeAt(stub.url, 'token', { ca: good.ca }).read(examplePath('x'));
  assert.deepEqual(stored, { kind: 'live', version: 3, createdAt: 't', record: null });
});

for (const [what, certificateOf, caOf] of [
  ['of a CA that is not given', () => good, () => undefined],
  ['of another CA than the given one', () => good, () => rootCertificates[0]],
  ['for another name', () => misnamed, () => misnamed.ca],
] as const) {
  test(`a certificate ${what} is refused before anything is sent`, async () => {
    await using stub = await startHttpStub(() => foreign, certificateOf());
    const store = storeAt(stub.url, 'token', { ca: caOf() });
    for (const call of [
      () => store.read(examplePath('x')),
      () => store.write(examplePath('x'), exampleCredential(), 0),
    ]) {
      const { reason, message, outcomeUnknown } = await troubleOf(call());
      assert.equal(reason, 'OpenBaoUnreachable');
      assert.match(
        message,
        /^cannot reach OpenBao: its certificate does not verify \([A-Z_]+\); it is tried again$/,
      );
      assert.equal(outcomeUnknown, false);
    }
    assert.deepEqual(stub.seen, []);
  });
}

test('a CA that is replaced in its file counts after a minute, also for the login', async (context) => {
  const folder = await mkdtemp(join(tmpdir(), 'openbao-ca-'));
  context.after(() => rm(folder, { recursive: true, force: true }));
  const [caFile, tokenFile] = [join(folder, 'ca.crt'), join(folder, 'token')];
  await writeFile(tokenFile, 'a.b.c');
  const login = { auth: { client_token: 's.token', lease_duration: 900 } };
  await using stub = await startHttpStub(
    ({ method }) => (method === 'POST' ? { body: login } : foreign),
    good,
  );
  let now = 0;
  const connection = { address: stub.url, caFile, timeoutMs: 4_000, clock: () => now };
  const token = createKubernetesLogin({ ...connection, role: 'r', mount: 'kubernetes', tokenFile });
  const store = storeAt(stub.url, '', { ...connection, token });
  const failure = async (): Promise<string> => (await troubleOf(store.read(examplePath('x')))).message;
  assert.equal(
    await failure(),
    'cannot reach OpenBao: the file of its CA certificates cannot be read or holds none (OPENBAO_CA_FILE); it is tried again',
  );
  await writeFile(caFile, rootCertificates[0] ?? '');
  now += 61_000;
  assert.match(await failure(), /its certificate does not verify/);
  await writeFile(caFile, good.ca);
  now += 61_000;
  assert.equal((await store.read(examplePath('x'))).stored.kind, 'live');
  await writeFile(caFile, 'not a certificate');
  now += 61_000;
  assert.equal((await store.read(examplePath('x'))).stored.kind, 'live', 'the last good one is kept');
});

test('a server that speaks nothing newer than TLS 1.1 is refused', async () => {
  const old = { ...good, minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const;
  await using stub = await startHttpStub(() => foreign, old);
  const { reason } = await troubleOf(storeAt(stub.url, 'token', { ca: good.ca }).read(examplePath('x')));
  assert.equal(reason, 'OpenBaoUnreachable');
  assert.deepEqual(stub.seen, []);
});
