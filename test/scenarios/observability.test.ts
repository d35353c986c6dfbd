import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { linesOf, type LogLine } from '../log/kept-log.ts';
import { logLineKinds } from '../log/log-lines.ts';
import { ownSeriesOf } from '../metrics/series.ts';
import { waitFor } from '../world/servers/wait-for.ts';
import { assertNothingLeaked } from './canaries.ts';
import { raise, type Stage } from './stage.ts';
import { resyncs, settled } from './stillness.ts';
import { apply, ready, tenant, untilCondition } from './tenants.ts';

let stage: Stage;
before(async () => {
  stage = await raise();
  await ready(stage, 'canary-orders', { extensions: [{ name: 'citext' }] });
  await apply(stage, tenant('canary-waiting', { instanceRef: { name: 'canary-none' } }));
  await untilCondition(stage, 'canary-waiting', 'Ready', { status: 'False', reason: 'InstanceNotFound' });
});
after(() => stage.close());

const lines = (): LogLine[] => linesOf(stage.world.hook.log());
const said = (phrase: string): LogLine[] => lines().filter(({ msg }) => msg === phrase);

const metrics = async (): Promise<Map<string, number>> =>
  ownSeriesOf(await (await fetch(`${stage.world.hook.metricsUrl}/metrics`)).text());

test('At rest, with a Tenant that is Ready and one that waits, nothing is logged', async () => {
  const names = ['canary-orders', 'canary-waiting'];
  await settled(stage, ...names);
  const before = lines();
  await resyncs(stage, names, 4);
  assert.deepEqual(lines().slice(before.length), []);
});

test('Each act was one line that names its request, which is another one for each act', () => {
  const acts = said('step taken').filter(({ subject }) => subject === 'shop/canary-orders');
  assert.deepEqual(
    acts.map(({ step, outcome, instance }) => [step, outcome, instance]),
    ['ClaimNames', 'WriteCredential', 'CreateRole', 'CreateDatabase', 'OpenDatabase', 'InstallExtension'].map(
      (step) => [step, 'ok', 'pg-main'],
    ),
  );
  assert.equal(new Set(acts.map(({ requestId }) => requestId)).size, acts.length);
  assert.equal(new Set(acts.map(({ uid }) => uid)).size, 1);
});

test('What was called is counted, and what is held is shown for each Instance', async () => {
  const shown = await metrics();
  for (const series of [
    'pgtenancy_hook_request_duration_seconds_count{route="/tenants/sync",code="200"}',
    'pgtenancy_acts_total{step="CreateDatabase",outcome="ok"}',
    'pgtenancy_postgres_calls_total{operation="observe_tenant",outcome="ok"}',
    'pgtenancy_postgres_calls_total{operation="check_login",outcome="ok"}',
    'pgtenancy_postgres_calls_total{operation="change_tenant",outcome="ok"}',
    'pgtenancy_postgres_calls_total{operation="change_registry",outcome="ok"}',
    'pgtenancy_postgres_connects_total{outcome="ok"}',
    'pgtenancy_openbao_calls_total{operation="read",outcome="ok"}',
    'pgtenancy_openbao_calls_total{operation="write",outcome="ok"}',
    'pgtenancy_kubernetes_reads_total{kind="PostgreSQLTenant",outcome="ok"}',
    'pgtenancy_kubernetes_reads_total{kind="Secret",outcome="ok"}',
  ]) {
    assert.ok((shown.get(series) ?? 0) > 0, series);
  }
  const idle = shown.get('pgtenancy_postgres_backends{postgresql_instance="pg-main",state="idle"}');
  const inUse = shown.get('pgtenancy_postgres_backends{postgresql_instance="pg-main",state="in_use"}');
  assert.ok(idle !== undefined && inUse !== undefined && idle + inUse > 0 && idle + inUse <= 4);
});

test('The only name of an object in the metrics is that of the live Instance', async () => {
  const names = [...(await metrics()).keys()];
  const instances = new Set(names.flatMap((name) => /postgresql_instance="([^"]*)"/.exec(name)?.[1] ?? []));
  assert.deepEqual([...instances], ['pg-main']);
  assert.deepEqual(
    names.filter((name) => /canary|shop|127\.0\.0\.1|example/.test(name)),
    [],
  );
});

test('A server that goes away and comes back is worth one line each, however many syncs meet it', async () => {
  await stage.world.postgres.stop();
  await waitFor('the line about the server that is gone', () => said('backend unreachable').length > 0);
  await resyncs(stage, ['canary-orders'], 3);
  await stage.world.postgres.start();
  const back = async () => {
    await resyncs(stage, ['canary-orders'], 1);
    return said('backend reachable again').length > 0;
  };
  await waitFor('the line about the server that is back', back, { timeoutMs: 90_000 });
  await resyncs(stage, ['canary-orders'], 2);
  assert.deepEqual(
    [...said('backend unreachable'), ...said('backend reachable again')].map(
      ({ backend, instance, level }) => [backend, instance, level],
    ),
    [
      ['PostgreSQL', 'pg-main', 'warn'],
      ['PostgreSQL', 'pg-main', 'info'],
    ],
  );
});

test('Every line is of a kind that is known, with no other fields than are known of it', () => {
  for (const { level, time, msg, ...fields } of lines()) {
    const kind = logLineKinds.find(({ phrase }) => phrase === msg);
    assert.ok(kind !== undefined, `"${String(msg)}" is not in the table`);
    assert.ok(kind.levels.includes(level as never), `"${kind.phrase}" as ${String(level)}`);
    assert.match(String(time), /^\d{4}-\d\d-\d\dT/);
    assert.deepEqual(
      Object.keys(fields).filter((field) => !kind.fields.includes(field)),
      [],
      kind.phrase,
    );
  }
});

test('None of this showed a password or a token', () => assertNothingLeaked(stage));
