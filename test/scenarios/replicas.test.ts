import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import type { HookProcess } from '../world/hook-process.ts';
import { waitFor } from '../world/servers/wait-for.ts';
import { actsIn } from './acts.ts';
import { assertNothingLeaked } from './canaries.ts';
import { assertClimbed } from './recorder.ts';
import { raiseReplicas, type Replicas } from './replicas.ts';
import { inPostgres, query, secretOf, sql } from './sql.ts';
import type { Stage } from './stage.ts';
import { recordsIn, resyncs, settled, tracesIn } from './stillness.ts';
import { apply, change, remove, tenant, untilReady } from './tenants.ts';

let replicas: Replicas;
let stage: Stage;
let second: HookProcess;
before(async () => {
  replicas = await raiseReplicas();
  ({ stage, second } = replicas);
  const { balancer } = replicas;
  const bothServe = (): boolean => balancer.served.every((requests) => requests > 0);
  await waitFor('both replicas to be asked', bothServe, { timeoutMs: 90_000 });
});
after(() => replicas.close());

const spec = { deletionPolicy: 'Delete', extensions: [{ name: 'citext' }] };

const acts = (name: string) => [...actsIn(stage.world.hook.log(), name), ...actsIn(second.log(), name)];

test('Behind one address two replicas take each step once between them, and nothing flaps', async () => {
  const names = ['red', 'green', 'blue'];
  await apply(stage, ...names.map((name) => tenant(name, spec)));
  for (const name of names) await untilReady(stage, name);
  await settled(stage, ...names);
  const before = await tracesIn(stage);
  await resyncs(stage, names, 4);
  assert.deepEqual(await tracesIn(stage), before);
  for (const name of names) {
    await assertWhole(name, 1);
    // All slots for long statements may be taken for a moment.
    const done = acts(name).filter(({ outcome }) => outcome !== 'Busy');
    assert.deepEqual(
      done.map(({ step, outcome }) => `${step} ${outcome}`).sort(),
      climb.map((step) => `${step} ok`).sort(),
    );
  }
});

const climb = [
  'ClaimNames',
  'WriteCredential',
  'CreateRole',
  'CreateDatabase',
  'OpenDatabase',
  'InstallExtension',
];

test('Requests that come twice, to both replicas at once, have the same result', async () => {
  const { faults } = stage.world.metacontroller;
  faults.duplicate = 1;
  const names = ['one', 'two', 'three'];
  await apply(stage, ...names.map((name) => tenant(name, spec)));
  for (const name of names) {
    await untilReady(stage, name);
    await assertWhole(name, 1);
  }
  await change(stage, 'one', { credentialRotation: '1' });
  await untilReady(stage, 'one');
  assert.equal(await versionOf('one'), 2);
  await Promise.all(names.map((name) => remove(stage, name)));
  for (const name of names) await assertGone(name);
  faults.duplicate = 0;
});

test('Stale parents, and writes of status and children that get lost, have the same result', async () => {
  const { faults } = stage.world.metacontroller;
  Object.assign(faults, { duplicate: 3, staleParent: 2, dropStatusWrite: 6, dropChildWrite: 1 });
  const names = ['lossy', 'stale'];
  await apply(stage, ...names.map((name) => tenant(name, spec)));
  for (const name of names) {
    await untilReady(stage, name);
    await assertWhole(name, 1);
  }
  assert.deepEqual([faults.dropStatusWrite, faults.dropChildWrite], [0, 0]);
  Object.assign(faults, { dropStatusWrite: 4, dropChildWrite: 1 });
  await Promise.all(names.map((name) => remove(stage, name)));
  for (const name of names) await assertGone(name);
  Object.assign(faults, { duplicate: 0, staleParent: 0 });
});

test('None of this showed a password or a token, in neither replica', async () => {
  await assertNothingLeaked(stage);
  const secret = await secretOf(stage, 'red');
  assert.ok(!second.log().includes(secret['password'] ?? ''));
});

async function assertWhole(name: string, version: number): Promise<void> {
  assertClimbed(await stage.recorder.phasesOf(name));
  assert.deepEqual(Object.keys(await inPostgres(stage, `shop_${name}`)).sort(), ['database', 'role', 'row']);
  assert.equal(await versionOf(name), version);
  assert.deepEqual(await query(await secretOf(stage, name), 'select 1 as one'), [{ one: 1 }]);
}

async function versionOf(name: string): Promise<number | undefined> {
  const [record, ...others] = Object.entries(await recordsIn(stage)).filter(([path]) =>
    path.includes(`/${name}/`),
  );
  assert.deepEqual(others, []);
  return (record?.[1] as { current_version: number } | undefined)?.current_version;
}

async function assertGone(name: string): Promise<void> {
  assert.equal((await stage.recorder.phasesOf(name)).at(-1), 'gone');
  assert.deepEqual(await inPostgres(stage, `shop_${name}`), {});
  assert.equal(await versionOf(name), undefined);
  assert.deepEqual(await sql(stage, "select from pg_catalog.pg_database where datname like 'pto%'"), []);
}
