import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { query, secretOf } from '../scenarios/sql.ts';
import { raise, type Stage } from '../scenarios/stage.ts';
import { resyncs, settled, tracesIn } from '../scenarios/stillness.ts';
import { ready, remove, untilReady } from '../scenarios/tenants.ts';
import type { KubeObject } from '../world/kubernetes/client.ts';
import { externalSecrets, secrets } from '../world/kubernetes/resources.ts';
import { waitFor } from '../world/servers/wait-for.ts';

/* Metacontroller writes the ExternalSecrets by server-side apply. */

let stage: Stage;
before(async () => {
  stage = await raise({ applyStrategy: 'server-side-apply' });
  await ready(stage, 'still', { deletionPolicy: 'Delete' });
  await ready(stage, 'edited', { deletionPolicy: 'Delete' });
});
after(() => stage.close());

const childOf = (name: string): Promise<KubeObject | undefined> =>
  stage.kube.get(externalSecrets, `${name}-postgresql`, 'shop');

interface Manager {
  readonly manager: string;
  readonly operation: string;
  readonly subresource?: string;
}

/** Who wrote the spec of an ExternalSecret, and how. */
const managersOf = (child: KubeObject | undefined): string[] =>
  ((child?.metadata['managedFields'] ?? []) as Manager[])
    .filter(({ subresource }) => subresource === undefined)
    .map(({ manager, operation }) => `${manager} ${operation}`);

/** Writes of ExternalSecrets themselves so far. */
const writes = (): number =>
  stage.world.api.audit.filter(
    ({ resource, subresource }) => resource === 'externalsecrets.external-secrets.io' && subresource === '',
  ).length;

test('The ExternalSecret is applied, without an annotation that repeats it', async () => {
  const child = await childOf('still');
  assert.deepEqual(managersOf(child), ['metacontroller Apply']);
  assert.deepEqual(Object.keys(child?.metadata.annotations ?? {}), []);
});

test('At rest nothing is written anywhere, whoever looks', async () => {
  await settled(stage, 'still', 'edited');
  const before = await tracesIn(stage);
  await resyncs(stage, ['still', 'edited'], 4);
  assert.deepEqual(await tracesIn(stage), before);
});

test('An ExternalSecret that somebody edited is healed by one write, and the Secret goes on to work', async () => {
  const before = writes();
  const desired = (await childOf('edited'))?.spec;
  await stage.kube.patch(externalSecrets, 'edited-postgresql', 'shop', {
    spec: { refreshInterval: '7m', dataFrom: [{ extract: { key: 'elsewhere' } }] },
  });
  const healed = await waitFor('the ExternalSecret to be healed', async () => {
    const child = await childOf('edited');
    return JSON.stringify(child?.spec) === JSON.stringify(desired) ? child : undefined;
  });
  assert.deepEqual(healed.spec, desired);
  await untilReady(stage, 'edited');
  await settled(stage, 'edited');
  assert.equal(writes(), before + 2, 'the edit, and what undid it');
  assert.deepEqual(await query(await secretOf(stage, 'edited'), 'select 1 as one'), [{ one: 1 }]);
});

test('A label that somebody adds stays, and nobody fights over it', async () => {
  await stage.kube.patch(externalSecrets, 'edited-postgresql', 'shop', {
    metadata: { labels: { team: 'billing' } },
  });
  const before = writes();
  await resyncs(stage, ['edited'], 3);
  assert.equal((await childOf('edited'))?.metadata.labels?.['team'], 'billing');
  assert.equal(writes(), before);
});

test('A Tenant goes with its ExternalSecret and its Secret', async () => {
  await remove(stage, 'edited');
  assert.equal(await childOf('edited'), undefined);
  await waitFor(
    'the Secret to go',
    async () => (await stage.kube.get(secrets, 'edited-postgresql', 'shop')) === undefined,
  );
});
