import assert from 'node:assert/strict';
import { after, before, test, type TestContext } from 'node:test';

import { belongingsIn, type Belongings } from '../scenarios/belongings.ts';
import type { Balancer } from '../scenarios/balancer.ts';
import { assertNothingLeaked } from '../scenarios/canaries.ts';
import { conditionOf } from '../scenarios/conditions.ts';
import { query, secretOf } from '../scenarios/sql.ts';
import { raiseReplicas } from '../scenarios/replicas.ts';
import type { Stage } from '../scenarios/stage.ts';
import { recordsIn } from '../scenarios/stillness.ts';
import { tenant, untilReady } from '../scenarios/tenants.ts';
import type { KubeObject } from '../world/kubernetes/client.ts';
import { instances, namespaces, secrets, tenants } from '../world/kubernetes/resources.ts';
import { type AtEnd, closable } from '../world/servers/closable.ts';
import { waitFor } from '../world/servers/wait-for.ts';
import { BackendPeak } from './backend-peak.ts';

/* A hundred Tenants at once, with two replicas of the operator and the times of production. */

const production = {
  LOG_LEVEL: 'info',
  RESYNC_SECONDS: '300',
  CHECK_INTERVAL_SECONDS_MIN: '600',
  CHECK_INTERVAL_SECONDS_MAX: '3600',
};
const names = Array.from({ length: 100 }, (_, index) => `t-${index}`);
/** What an Instance allows each replica when it says nothing. */
const maxConnections = 4;

let arena: Arena & { close(): Promise<void> };
let stage: Stage;
let peak: BackendPeak;
before(async () => {
  arena = await closable(arrange);
  ({ stage, peak } = arena);
});
after(() => arena.close());

interface Arena {
  readonly stage: Stage;
  readonly balancer: Balancer;
  readonly peak: BackendPeak;
  readonly atFirst: Belongings;
}

async function arrange(atEnd: AtEnd): Promise<Arena> {
  const replicas = await raiseReplicas({ env: production });
  atEnd(() => replicas.close());
  const { stage: raised, balancer } = replicas;
  await raised.kube.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'crowd' } });
  const atFirst = await belongingsIn(raised);
  const looking = await BackendPeak.start(raised.world);
  atEnd(() => looking.stop());
  return { stage: raised, balancer, peak: looking, atFirst };
}

test('A hundred Tenants that come at once all become Ready', async (t) => {
  const spec = { deletionPolicy: 'Delete' };
  await timed(t, '100 Tenants at once: Ready', async () => {
    await Promise.all(names.map((name) => stage.kube.create(tenants, tenant(`crowd/${name}`, spec))));
    await untilAll(isReady);
  });
  assert.ok(
    arena.balancer.served.every((requests) => requests > 100),
    `served ${String(arena.balancer.served)}`,
  );
});

test('A rotation of all passwords at once reaches every Secret', async (t) => {
  const before = await passwords();
  await timed(t, '100 rotations at once', async () => {
    const patch = { spec: { credentialRotation: '2' } };
    await Promise.all(names.map((name) => stage.kube.patch(tenants, name, 'crowd', patch)));
    await untilAll((object) => isReady(object) && versionOf(object) === 2);
  });
  const now = await passwords();
  assert.equal(new Set([...before.values(), ...now.values()]).size, 200);
  assert.deepEqual(await query(await secretOf(stage, 'crowd/t-50'), 'select 1 as one'), [{ one: 1 }]);
  const records = Object.values(await recordsIn(stage)) as { current_version: number }[];
  assert.deepEqual(
    records.map(({ current_version }) => current_version),
    names.map(() => 2),
  );
});

test('One more Tenant becomes Ready while all others are looked at because their Instance changed', async (t) => {
  const climb = async (name: string): Promise<void> => {
    await stage.kube.create(tenants, tenant(`shop/${name}`, { deletionPolicy: 'Delete' }));
    await untilReady(stage, name);
  };
  await timed(t, 'one more Tenant, nothing else to do: Ready', () => climb('calm'));
  const before = stage.calls.length;
  const annotations = { 'example.com/touched': 'yes' };
  await stage.kube.patch(instances, 'pg-main', undefined, { metadata: { annotations } });
  await timed(t, 'one more Tenant beside a look at 100 others: Ready', () => climb('hurried'));
  await waitFor('the look at all others', () => {
    const looked = stage.calls
      .slice(before)
      .filter(({ hook, namespace }) => hook === 'sync' && namespace === 'crowd');
    return new Set(looked.map(({ name }) => name)).size === names.length;
  });
});

test('None was ever without a reason, no call failed, and the operator kept to its connections', (t) => {
  for (const { metadata, status } of stage.recorder.versions(tenants)) {
    if (status?.['phase'] === undefined) continue;
    const ready = conditionOf({ metadata, status } as KubeObject, 'Ready');
    assert.ok(
      ready?.status === 'True' || (ready?.message ?? '') !== '',
      JSON.stringify({ metadata, status }),
    );
  }
  assert.deepEqual(failures(), []);
  const later = stage.calls.filter(({ status }) => status === 429).length;
  t.diagnostic(
    `${stage.calls.length} hook calls, ${later} told to come later; at most ${peak.highest} sessions`,
  );
  assert.ok(peak.highest > 0 && peak.highest <= 2 * maxConnections, `${peak.highest} sessions`);
});

test('A hundred deletions at once leave nothing anywhere', async (t) => {
  await assertNothingLeaked(stage);
  await timed(t, '102 deletions at once', async () => {
    const all = (await stage.kube.list(tenants)).items;
    assert.equal(all.length, 102);
    await Promise.all(
      all.map(({ metadata }) => stage.kube.delete(tenants, metadata.name, metadata.namespace)),
    );
    await waitFor(
      'all Tenants to go',
      async () => (await stage.kube.list(tenants)).items.length === 0,
      patient,
    );
  });
  await waitFor('their Secrets to go', async () => (await projected()).length === 0, patient);
  assert.deepEqual(await belongingsIn(stage), arena.atFirst);
  assert.ok(peak.highest <= 2 * maxConnections, `${peak.highest} sessions`);
  assert.deepEqual(failures(), []);
});

/** Calls without an answer that Metacontroller can use; 429 is one: a slot is taken, and it is to come later. */
const failures = (): unknown[] =>
  stage.calls
    .filter(({ status }) => status !== 200 && status !== 429)
    .map(({ name, hook, status, error, response }) => [name, hook, status, error, response]);

const patient = { timeoutMs: 240_000, everyMs: 300 };

/** The time goes to the output: it depends on the machine. */
async function timed(t: TestContext, what: string, work: () => Promise<void>): Promise<void> {
  const startedAt = Date.now();
  await work();
  t.diagnostic(`${what} after ${((Date.now() - startedAt) / 1000).toFixed(1)} s`);
}

async function untilAll(holds: (object: KubeObject) => boolean): Promise<void> {
  let waiting: KubeObject[] = [];
  const look = async (): Promise<boolean> => {
    const { items } = await stage.kube.list(tenants, 'crowd');
    waiting = items.filter((object) => !holds(object));
    return items.length === names.length && waiting.length === 0;
  };
  await waitFor('all Tenants of the crowd', look, patient).catch((error: unknown) => {
    throw new Error(`${waiting.length} are late: ${JSON.stringify(waiting[0]?.status)}`, { cause: error });
  });
}

const isReady = (object: KubeObject): boolean => {
  const ready = conditionOf(object, 'Ready');
  return ready?.status === 'True' && ready.observedGeneration === object.metadata.generation;
};

const versionOf = ({ status }: KubeObject): number | undefined =>
  (status?.['credential'] as { version: number } | undefined)?.version;

const projected = async (): Promise<KubeObject[]> =>
  (await stage.kube.list(secrets)).items.filter(({ metadata }) => metadata.name.endsWith('-postgresql'));

const passwords = async (): Promise<Map<string, string>> =>
  new Map((await projected()).map(({ metadata, data }) => [metadata.name, data?.['password'] ?? '']));
