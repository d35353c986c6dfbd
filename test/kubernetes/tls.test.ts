import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { after, before, test } from 'node:test';

import { createKubernetesReader } from '../../src/kubernetes/reader.ts';
import { startHttpStub } from '../http-stub.ts';
import { troubleOf } from '../trouble-of.ts';
import { startOpenBao, type OpenBao } from '../world/servers/openbao.ts';
import { issueCertificate, setUpPki, type Certificate } from '../world/servers/pki.ts';
import { instanceObject } from './objects.ts';

let issuer: OpenBao;
let certificate: Certificate;
let folder: string;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kubernetes-tls-'));
  issuer = await startOpenBao({ mode: 'dev' });
  await setUpPki(issuer, { commonName: 'Kubernetes test CA' });
  certificate = await issueCertificate(issuer, {
    commonName: 'api',
    dnsNames: [],
    ipAddresses: ['127.0.0.1'],
  });
});
after(async () => {
  await issuer.close();
  await rm(folder, { recursive: true, force: true });
});

const startApi = () => startHttpStub(() => ({ body: instanceObject('main') }), certificate);
const foreignCa = rootCertificates[0]!;

test('the API server is verified by the given bundle', async () => {
  await using api = await startApi();
  const reader = (ca: string | undefined) =>
    createKubernetesReader({ url: api.url, operatorNamespace: 'ops', ca });
  assert.equal((await reader(certificate.ca).instance('main'))?.metadata.name, 'main');
  for (const ca of [undefined, foreignCa]) {
    const { reason, message } = await troubleOf(reader(ca).instance('main'));
    assert.equal(reason, 'KubernetesUnreachable');
    assert.match(message, /its certificate does not verify/);
  }
  assert.equal(api.seen.length, 1);
});

test('every certificate of a bundle counts, also without a line break between them', async () => {
  await using api = await startApi();
  const caFile = join(folder, 'glued.crt');
  const ca = `${foreignCa.trim()}${certificate.ca}`;
  await writeFile(caFile, ca);
  for (const given of [{ ca }, { caFile }]) {
    const reader = createKubernetesReader({ url: api.url, operatorNamespace: 'ops', ...given });
    assert.equal((await reader.instance('main'))?.metadata.name, 'main');
  }
});

test('a bundle that was replaced in its file counts after a minute', async () => {
  await using api = await startApi();
  const caFile = join(folder, 'ca.crt');
  let now = 0;
  const reader = createKubernetesReader({ url: api.url, operatorNamespace: 'ops', caFile, clock: () => now });
  assert.equal(
    (await troubleOf(reader.freshInstance('main'))).reason,
    'KubernetesUnreachable',
    'no file yet',
  );
  await writeFile(caFile, foreignCa);
  assert.equal((await troubleOf(reader.freshInstance('main'))).reason, 'KubernetesUnreachable');
  await writeFile(caFile, certificate.ca);
  now = 61_000;
  assert.equal((await reader.freshInstance('main'))?.metadata.name, 'main');
});
