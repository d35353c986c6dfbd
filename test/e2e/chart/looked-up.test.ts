import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { after, before, test } from 'node:test';

import { chartFolder, objectsIn, release, withValues } from '../../chart/chart.ts';
import { controllersIn } from '../../chart/controllers.ts';
import { generatedTls } from '../../chart/generated-tls.ts';
import { compositeControllers, namespaces, secrets } from '../../world/kubernetes/resources.ts';
import { type BareCluster, installKinds, startBareCluster } from './bare-cluster.ts';

/* What the chart makes of what it finds in a cluster. Nothing is installed but what a test puts there. */

let cluster: BareCluster;
before(async () => {
  cluster = await startBareCluster();
  await installKinds(cluster, 'metacontroller', 'cert-manager');
  const metadata = { name: release.namespace };
  await cluster.kube.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata });
});
after(() => cluster.plane.close());

const place = [release.name, chartFolder, '--namespace', release.namespace, '--dry-run=server'] as const;

async function renderedTls() {
  const args = ['hook-tls-secret', 'hook-ca-secret'].flatMap((name) => [
    '--show-only',
    `templates/${name}.yaml`,
  ]);
  const text = await cluster.helm.ok([
    'template',
    '--is-upgrade',
    ...place,
    ...withValues('minimal'),
    ...args,
  ]);
  return { text, ...generatedTls(objectsIn(text)) };
}

/** Puts a certificate and its key where the generated ones are, as `kubectl create secret tls | kubectl apply` does. */
async function replaceByHand({ cert, key }: { readonly cert: string; readonly key: string }): Promise<void> {
  const name = `${release.fullname}-tls`;
  const secret = await cluster.kube.get(secrets, name, release.namespace);
  assert.ok(secret);
  await cluster.kube.update(secrets, { ...secret, stringData: { 'tls.crt': cert, 'tls.key': key } });
}

test('A generated certificate is kept, and one that somebody put in its place is made anew by the same CA', async () => {
  const foreign = await renderedTls();
  const first = await renderedTls();
  assert.notEqual(first.cert, foreign.cert);
  await cluster.kubectl.ok('apply --server-side -f -', { input: first.text });
  assert.deepEqual(await renderedTls(), first);
  await replaceByHand(foreign);
  const second = await renderedTls();
  assert.equal(second.ca, first.ca);
  assert.ok(![first.cert, foreign.cert].includes(second.cert));
  assert.ok(new X509Certificate(second.cert).verify(new X509Certificate(first.ca).publicKey));
});

test('The controllers wait for the CA of cert-manager where it can be looked up later, and the notes say so', async () => {
  const wanted = withValues('cert-manager', '--set', 'metacontroller.compositeControllers=auto');
  const said = await cluster.helm.ok(['install', ...place, ...wanted]);
  assert.match(said, /NOTHING WILL HAPPEN TO ANY TENANT OR INSTANCE UNTIL YOU RUN `helm upgrade` ONCE MORE/);
  assert.match(said, /the CA of the hook's certificate is not known yet/);
  assert.match(said, new RegExp(`certificate/${release.fullname}`));
  const objects = objectsIn(await cluster.helm.ok(['template', ...place, ...wanted]));
  assert.deepEqual(controllersIn(objects), []);
  assert.deepEqual((await cluster.kube.list(compositeControllers)).items, []);
});
