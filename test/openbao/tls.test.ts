import assert from 'node:assert/strict';
import { rootCertificates } from 'node:tls';
import { after, before, test } from 'node:test';

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
      assert.match(message, /^cannot reach OpenBao: its certificate does not verify \([A-Z_]+\)$/);
      assert.equal(outcomeUnknown, false);
    }
    assert.deepEqual(stub.seen, []);
  });
}

test('a server that speaks nothing newer than TLS 1.1 is refused', async () => {
  const old = { ...good, minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const;
  await using stub = await startHttpStub(() => foreign, old);
  const { reason } = await troubleOf(storeAt(stub.url, 'token', { ca: good.ca }).read(examplePath('x')));
  assert.equal(reason, 'OpenBaoUnreachable');
  assert.deepEqual(stub.seen, []);
});
