import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { freeze } from '../world/servers/freeze.ts';
import { setUpManagementRole } from '../world/servers/management-role.ts';
import { startPostgres, type Postgres } from '../world/servers/postgres.ts';
import { waitFor } from '../world/servers/wait-for.ts';
import { actsIn } from './acts.ts';
import { assertNothingLeaked } from './canaries.ts';
import { conditionOf, phaseOf } from './conditions.ts';
import { instance, untilInstance, untilInstanceReady } from './instances.ts';
import { assertClimbed } from './recorder.ts';
import { raise, type Stage } from './stage.ts';
import { recordsIn, settled } from './stillness.ts';
import { apply, look, tenant, untilCondition, untilReady } from './tenants.ts';

let stage: Stage;
let second: Postgres;
before(async () => {
  stage = await raise();
  second = await startPostgres();
  await setUpManagementRole(second);
  await apply(stage, instance('pg-slow', second.port, { tls: { mode: 'disable' } }));
  await untilInstanceReady(stage.kube, 'pg-slow');
});
after(async () => {
  await stage.close();
  await second.close();
});

const onSlow = { instanceRef: { name: 'pg-slow' } };
/** Twice as many as there are workers for Tenants. */
const slow = Array.from({ length: 10 }, (_, index) => `slow-${index}`);
const good = Array.from({ length: 5 }, (_, index) => `good-${index}`);

const callsOf = (names: readonly string[], since: number) =>
  stage.calls.slice(since).filter(({ hook, name }) => hook === 'sync' && names.includes(name));

/** How many hook calls were given up for want of time or places. */
async function refusals(): Promise<Record<string, string | undefined>> {
  const text = await (await fetch(`${stage.world.hook.metricsUrl}/metrics`)).text();
  const count = (cause: string) =>
    new RegExp(`^pgtenancy_hook_refusals_total\\{cause="${cause}"\\} (\\d+)$`, 'm').exec(text)?.[1];
  return { deadline: count('deadline'), in_flight_limit: count('in_flight_limit') };
}

test('An Instance that hangs holds up none of the Tenants of another one, and comes back by itself', async () => {
  await apply(stage, ...slow.map((name) => tenant(name, onSlow)));
  for (const name of slow) await untilReady(stage, name);
  await settled(stage, ...slow);
  const records = await recordsIn(stage);
  const since = stage.calls.length;

  const ice = await freeze(second);
  try {
    await waitFor('every Tenant of the Instance to be asked for', () =>
      slow.every((name) => callsOf([name], since).length > 0 || callsOf(slow, since).length >= 20),
    );
    await apply(stage, ...good.map((name) => tenant(name)), tenant('newcomer', onSlow));
    for (const name of good) await untilReady(stage, name);
    for (const name of good) assertClimbed(await stage.recorder.phasesOf(name));
    await untilCondition(stage, 'newcomer', 'CredentialCreated', {
      status: 'Unknown',
      reason: 'InstanceUnreachable',
    });
    await untilInstance(stage.kube, 'pg-slow', { status: 'True' });
    for (const name of slow) {
      await untilCondition(stage, name, 'CredentialCreated', {
        status: 'Unknown',
        reason: 'InstanceUnreachable',
      });
      const found = await look(stage, name);
      assert.deepEqual([phaseOf(found), conditionOf(found, 'Ready')?.status], ['Ready', 'True'], name);
    }
    const answers = callsOf([...slow, ...good, 'newcomer'], since).map(({ status }) => status);
    assert.deepEqual(
      answers.filter((status) => status !== 200 && status !== 429),
      [],
      'each call is answered in time',
    );
    const refused = callsOf(good, since).filter(({ status }) => status === 429).length;
    const busy = good.flatMap((name) => actsIn(stage.world.hook.log(), name));
    const withoutSlot = busy.filter(({ outcome }) => outcome === 'Busy').map(({ step }) => step);
    assert.deepEqual(withoutSlot, Array(refused).fill('CreateDatabase'), 'none waits for anything else');
    assert.deepEqual(await refusals(), { deadline: '0', in_flight_limit: '0' });
  } finally {
    ice.thaw();
  }

  await untilReady(stage, 'newcomer');
  for (const name of slow) await untilCondition(stage, name, 'CredentialCreated', { status: 'True' });
  const afterwards = await recordsIn(stage);
  for (const [path, record] of Object.entries(records)) assert.deepEqual(afterwards[path], record, path);
  for (const name of slow) assertClimbed(await stage.recorder.phasesOf(name));
});

test('None of this showed a password or a token', () => assertNothingLeaked(stage));
