import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { actOf } from './acts.ts';
import { assertNothingLeaked } from './canaries.ts';
import { assertClimbed } from './recorder.ts';
import { inPostgres, query, secretOf } from './sql.ts';
import { raise, type Stage } from './stage.ts';
import { recordsIn } from './stillness.ts';
import { apply, ready, remove, tenant, untilReady } from './tenants.ts';

let stage: Stage;
let onHookLine: (line: string) => void = () => undefined;
before(async () => {
  stage = await raise({ onHookLine: (line) => onHookLine(line) });
});
after(() => stage.close());

const climbing = ['ClaimNames', 'WriteCredential', 'CreateRole', 'CreateDatabase', 'OpenDatabase'];
const descending = ['CloseDatabase', 'TombstoneDatabase', 'DropDatabase', 'DropRole', 'DeleteCredential'];
const spec = { deletionPolicy: 'Delete', extensions: [{ name: 'citext' }] };

test('The operator is killed after each step of the climb, and the Tenant becomes Ready all the same', async () => {
  const killedAfter = await killing(afterEachStepOf('steps'), () => climbs('steps'));
  assert.deepEqual(killedAfter, [...climbing, 'InstallExtension']);
  await assertWhole('steps');
});

test('The operator is killed after each step of the deletion, and nothing is left all the same', async () => {
  const killedAfter = await killing(afterEachStepOf('steps'), () => remove(stage, 'steps', patience));
  assert.deepEqual(killedAfter, [...descending, 'ReleaseNames']);
  await assertGone('steps');
});

test('The operator is killed while a statement runs, once for each kind, and the Tenant becomes Ready all the same', async () => {
  const killedIn = await killing(inEachStatement(), () => climbs('statements'));
  for (const kind of ['insert into', 'create role', 'create database', 'create extension']) {
    assert.ok(killedIn.includes(kind), `${kind} is not among ${killedIn.join(', ')}`);
  }
  await assertWhole('statements');
});

test('The operator is killed while a statement of the deletion runs, and nothing is left all the same', async () => {
  const killedIn = await killing(inEachStatement(), () => remove(stage, 'statements', patience));
  for (const kind of ['alter role', 'alter database', 'drop database', 'drop role', 'delete from']) {
    assert.ok(killedIn.includes(kind), `${kind} is not among ${killedIn.join(', ')}`);
  }
  await assertGone('statements');
});

test('None of this showed a password or a token', async () => {
  await ready(stage, 'last');
  await assertNothingLeaked(stage);
});

/** Each kill costs the start of a process, and as long again until Metacontroller tries once more. */
const patience = { timeoutMs: 120_000 };

async function climbs(name: string): Promise<void> {
  await apply(stage, tenant(name, spec));
  await untilReady(stage, name, patience);
}

/** Begins to kill; what it gives back ends that. */
type Killer = (killed: string[]) => () => void;

/** Does the work while the operator is killed again and again, and started again each time. The occasions of the kills. */
async function killing(killer: Killer, work: () => Promise<unknown>): Promise<string[]> {
  const killed: string[] = [];
  const stopKilling = killer(killed);
  const working = new AbortController();
  const reviving = revive(working.signal);
  try {
    await work();
  } finally {
    stopKilling();
    working.abort();
    await reviving;
  }
  return killed;
}

/** As a kubelet does. */
async function revive(signal: AbortSignal): Promise<void> {
  const { hook } = stage.world;
  // It may be killed again before it is up.
  while (!signal.aborted) {
    await hook.revive().catch(() => undefined);
    await sleep(20);
  }
  await hook.revive();
}

function kill(): void {
  const { pid } = stage.world.hook;
  if (pid !== undefined) process.kill(pid, 'SIGKILL');
}

const afterEachStepOf =
  (name: string): Killer =>
  (killed) => {
    onHookLine = (line) => {
      const act = actOf(line);
      if (act?.subject !== `shop/${name}` || killed.includes(act.step)) return;
      killed.push(act.step);
      kill();
    };
    return () => {
      onHookLine = () => undefined;
    };
  };

/** The log of PostgreSQL tells of a statement before it is run. */
const inEachStatement = (): Killer => (killed) => {
  const statement = /LOG: {2}(?:statement|execute [^:]+):\s+(\w+)\s+(\w+)\s/g;
  let told = stage.world.postgres.log().length;
  const timer = setInterval(() => {
    const log = stage.world.postgres.log();
    for (;;) {
      statement.lastIndex = told;
      const found = statement.exec(log);
      if (found === null) return;
      told = statement.lastIndex;
      const kind = `${found[1] ?? ''} ${found[2] ?? ''}`.toLowerCase();
      if (killed.includes(kind)) continue;
      killed.push(kind);
      kill();
    }
  }, 2);
  return () => clearInterval(timer);
};

async function assertWhole(name: string): Promise<void> {
  assertClimbed(await stage.recorder.phasesOf(name));
  assert.deepEqual(Object.keys(await inPostgres(stage, `shop_${name}`)).sort(), ['database', 'role', 'row']);
  const records = Object.entries(await recordsIn(stage)).filter(([path]) => path.includes(`/${name}/`));
  assert.deepEqual(
    records.map(([, metadata]) => (metadata as { current_version: number }).current_version),
    [1],
  );
  assert.deepEqual(
    await query(
      await secretOf(stage, name),
      "select extname from pg_catalog.pg_extension where extname = 'citext'",
    ),
    [{ extname: 'citext' }],
  );
}

async function assertGone(name: string): Promise<void> {
  const phases = await stage.recorder.phasesOf(name);
  const down = [
    'ExternalSecretCreated',
    'DatabaseCreated',
    'RoleCreated',
    'CredentialCreated',
    'Planned',
    'gone',
  ];
  assert.deepEqual(phases.slice(phases.lastIndexOf('Ready') + 1), down);
  assert.deepEqual(await inPostgres(stage, `shop_${name}`), {});
  assert.deepEqual(
    Object.keys(await recordsIn(stage)).filter((path) => path.includes(`/${name}/`)),
    [],
  );
}
