import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { externalSecretKey } from '../../src/api/external-secret.ts';
import type { KubeObject } from '../world/kubernetes/client.ts';
import { externalSecrets } from '../world/kubernetes/resources.ts';
import { assertNothingLeaked } from './canaries.ts';
import { changesNothing, forged, post, withSpec } from './forge.ts';
import { raise, type Stage } from './stage.ts';
import { settled, tracesIn } from './stillness.ts';
import { ready, untilReady } from './tenants.ts';

const ownKey = 'shop/real-postgresql';

let stage: Stage;
/** Our ExternalSecret, as Metacontroller observed it. */
let own: KubeObject;
before(async () => {
  stage = await raise();
  await ready(stage, 'real', { deletionPolicy: 'Delete', extensions: [{ name: 'citext' }] });
  await settled(stage, 'real');
  const found = await stage.kube.get(externalSecrets, 'real-postgresql', 'shop');
  assert.ok(found !== undefined);
  own = found;
});
after(() => stage.close());

const same = (parent: KubeObject): KubeObject => parent;
const request = (change: Record<string, unknown> = {}): Record<string, unknown> => ({
  ...forged(stage, 'tenants', 'real', same),
  ...change,
});
const withSecrets = (objects: unknown) => request({ children: { [externalSecretKey]: objects } });
const withOwn = (change: Record<string, unknown>) => withSecrets({ [ownKey]: { ...own, ...change } });
const withOwnMetadata = (change: Record<string, unknown>) =>
  withOwn({ metadata: { ...own.metadata, ...change } });
const withStatus = (status: unknown) =>
  forged(stage, 'tenants', 'real', (parent) => ({ ...parent, status }) as KubeObject);

const stray = (name: string, namespace = 'shop'): KubeObject => ({
  ...own,
  metadata: { ...own.metadata, name, namespace },
});
const strays = () =>
  Object.fromEntries(
    Array.from({ length: 5_000 }, (_, index) => {
      const metadata = { name: `stray-${index}`, namespace: 'shop' };
      return [`shop/stray-${index}`, { apiVersion: own.apiVersion, kind: own.kind, metadata }];
    }),
  );
const condition = { type: 'Ready', status: 'True', reason: 'Reached', message: '', lastTransitionTime: '' };
const deletionTimestamp = '2026-01-01T00:00:00Z';

// prettier-ignore
const harmless: readonly [sentence: string, body: () => Record<string, unknown>][] = [
  ['no children at all', () => request({ children: {} })],
  ['an empty list of ExternalSecrets', () => withSecrets({})],
  ['children of another kind', () => request({ children: { 'Secret.v1': { 'shop/real-postgresql': stray('real-postgresql') } } })],
  ['an ExternalSecret of another name', () => withSecrets({ 'shop/other': stray('other') })],
  ['an ExternalSecret of the name in another namespace', () => withSecrets({ 'blog/real-postgresql': stray('real-postgresql', 'blog') })],
  ['thousands of ExternalSecrets beside ours', () => withSecrets({ ...strays(), [ownKey]: own })],
  ['an ExternalSecret of the name that somebody else owns', () => withOwnMetadata({ ownerReferences: [{ ...own.metadata.ownerReferences?.[0], uid: 'somebody' }] })],
  ['an ExternalSecret of the name that nobody owns', () => withOwnMetadata({ ownerReferences: [] })],
  ['an ExternalSecret that is not all there', () => withOwnMetadata({ uid: undefined, generation: undefined })],
  ['an ExternalSecret whose spec is gone', () => withOwn({ spec: {} })],
  ['an ExternalSecret that reads another record', () => withOwn({ spec: { ...own.spec, dataFrom: [{ extract: { key: 'demo/shop/other/uid', version: '7' } }] } })],
  ['an ExternalSecret that is being deleted', () => withOwnMetadata({ deletionTimestamp })],
  ['an ExternalSecret that claims to be synced', () => withOwn({ status: { syncedResourceVersion: '99-x', conditions: [{ type: 'Ready', status: 'True' }] } })],
  ['an ExternalSecret with a status of nonsense', () => withOwn({ status: { conditions: [null] } })],
  ['an Instance of its own choice', () => request({ related: { 'PostgreSQLInstance.pgtenancy.io/v1alpha1': { 'pg-main': { ...own, spec: { host: 'evil.example.com' } } } } })],
  ['no status', () => withStatus(undefined)],
  ['a status of null', () => withStatus(null)],
  ['a phase that there is not', () => withStatus({ phase: 'Celebrating' })],
  ['a thousand conditions', () => withStatus({ phase: 'Ready', conditions: Array.from({ length: 1_000 }, () => condition) })],
  ['a condition that is null', () => withStatus({ phase: 'Planned', conditions: [null] })],
  ['an extension that is not listed', () => forged(stage, 'tenants', 'real', withSpec({ extensions: [{ name: 'hstore' }] }))],
];

for (const [sentence, body] of harmless) {
  for (const path of ['/tenants/sync', '/tenants/finalize']) {
    test(`A request to ${path} with ${sentence} changes nothing, and loses nothing`, async () => {
      const finalizing = path.endsWith('finalize');
      const answer = await changesNothing(stage, path, { ...body(), finalizing });
      // Whatever was posted: an answer that Metacontroller would delete ours by is never given.
      const children = answer['children'] as KubeObject[];
      const posted = body()['children'] as Record<string, Record<string, unknown> | undefined>;
      const observed = posted[externalSecretKey]?.[ownKey] !== undefined;
      const names = children.map(({ metadata }) => `${metadata.namespace ?? ''}/${metadata.name}`);
      assert.deepEqual(names, observed || !finalizing ? [ownKey] : []);
      assert.notEqual(answer['finalized'], true);
    });
  }
}

// prettier-ignore
const refused: readonly [sentence: string, body: () => unknown][] = [
  ['[null]', () => [null]],
  ['a list of requests', () => [request()]],
  ['children that are a list of null', () => request({ children: [null] })],
  ['ExternalSecrets that are a list of null', () => withSecrets([null])],
  ['an ExternalSecret that is null', () => withSecrets({ [ownKey]: null })],
  ['an ExternalSecret that is a list of null', () => withSecrets({ [ownKey]: [null] })],
  ['an ExternalSecret without metadata', () => withOwn({ metadata: undefined })],
  ['an ExternalSecret of another kind', () => withOwn({ kind: 'Secret' })],
  ['an ExternalSecret under the name of another', () => withSecrets({ [ownKey]: stray('other') })],
  ['related that are a list of null', () => request({ related: [null] })],
  ['related Instances that are null', () => request({ related: { 'PostgreSQLInstance.pgtenancy.io/v1alpha1': null } })],
  ['a parent that is null', () => request({ parent: null })],
  ['a parent of another kind', () => forged(stage, 'tenants', 'real', (parent) => ({ ...parent, kind: 'Pod' }))],
  ['a parent without a spec', () => forged(stage, 'tenants', 'real', (parent) => ({ ...parent, spec: null }) as never)],
  ['a key that no hook request has', () => request({ more: true })],
];

for (const [sentence, body] of refused) {
  test(`A request with ${sentence} is refused, and changes nothing`, async () => {
    const before = await tracesIn(stage);
    for (const path of ['/tenants/sync', '/tenants/finalize', '/tenants/customize', '/instances/sync']) {
      const { status, text } = await post(stage, path, JSON.stringify(body()));
      assert.equal(status, 400, `${path}: ${text}`);
    }
    assert.deepEqual(await tracesIn(stage), before);
  });
}

test('A request that is larger than objects can be is refused, and changes nothing', async () => {
  const before = await tracesIn(stage);
  const body = JSON.stringify(withOwn({ spec: { padding: 'x'.repeat(5 * 1024 * 1024) } }));
  assert.equal((await post(stage, '/tenants/sync', body)).status, 413);
  assert.deepEqual(await tracesIn(stage), before);
});

test('Afterwards the Tenant is Ready, and nothing of this showed a password or a token', async () => {
  await untilReady(stage, 'real');
  await assertNothingLeaked(stage);
});
