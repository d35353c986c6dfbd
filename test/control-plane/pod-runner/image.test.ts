import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import { parseAllDocuments } from 'yaml';
import { z } from 'zod';

import { imageFolder } from '../../image/image-folder.ts';
import type { KubeObject } from '../../world/kubernetes/client.ts';
import { startOpenBao } from '../../world/servers/openbao.ts';
import { issueCertificate, setUpPki } from '../../world/servers/pki.ts';
import { runPod } from './run-pod.ts';
import { withTrial } from './trial.ts';

const manifest = new URL('../../../examples/install/operator.yaml', import.meta.url);
const documents = parseAllDocuments(readFileSync(manifest, 'utf8')).map((one) => one.toJS() as KubeObject);
const deployment = documents.find(({ kind }) => kind === 'Deployment');

/** What an API server adds, as far as it matters here. */
const withDefaults = (object: unknown): object => {
  const template = z
    .looseObject({ spec: z.looseObject({ volumes: z.array(z.record(z.string(), z.unknown())) }) })
    .parse(object);
  const volumes = template.spec.volumes.map((volume) =>
    Object.fromEntries(
      Object.entries(volume).map(([key, value]) => [
        key,
        key === 'name' ? value : { defaultMode: 0o644, ...(value as object) },
      ]),
    ),
  );
  return { ...template, spec: { ...template.spec, serviceAccountName: 'runner', volumes } };
};

test('the Pod of the install manifest runs from the image, with its files in place', async () => {
  const image = await imageFolder();
  const openBao = await startOpenBao({ mode: 'dev' });
  try {
    const { ca } = await setUpPki(openBao, { commonName: 'Example internal CA' });
    const { cert, key } = await issueCertificate(openBao, {
      ...{ commonName: 'postgresql-tenant-operator', dnsNames: ['localhost'], ipAddresses: ['127.0.0.1'] },
    });
    await withTrial(async ({ kube, api, setSecret, setConfigMap }) => {
      await setConfigMap('kube-root-ca.crt', { 'ca.crt': ca });
      await setConfigMap('postgresql-tenant-operator-certificates', {
        ...{ 'openbao-ca.crt': ca, 'postgres-ca.crt': ca },
      });
      await setSecret('postgresql-tenant-operator-tls', { 'tls.crt': cert, 'tls.key': key });
      const pod = await runPod({
        ...{ template: withDefaults(deployment?.spec?.['template']), namespace: 'pod', image, kube },
        // This API speaks plain HTTP, to which no CA belongs.
        overrides: { KUBERNETES_URL: api.url, KUBERNETES_CA_FILE: undefined, DRAIN_SECONDS: '0' },
      });
      try {
        const kubernetes = ['KUBERNETES_CA_FILE', 'KUBERNETES_URL'];
        assert.deepEqual(pod.overridden, ['DRAIN_SECONDS', 'HOST', ...kubernetes, 'METRICS_PORT', 'PORT']);
        assert.ok((await fetch(`${pod.hook.metricsUrl}/healthz`)).ok);
      } finally {
        await pod.close();
      }
      assert.match(pod.hook.log(), /"signal":"SIGTERM","msg":"stopping"/);
    });
  } finally {
    await openBao.close();
  }
});
