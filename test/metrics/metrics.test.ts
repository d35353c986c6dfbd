import assert from 'node:assert/strict';
import { test } from 'node:test';

import { reasons } from '../../src/domain/reasons.ts';
import { hookRoutes } from '../../src/http/routes.ts';
import { stepKinds } from '../../src/metrics/labels.ts';
import { openBaoOperations } from '../../src/metrics/measured-credentials.ts';
import { kubernetesKinds } from '../../src/metrics/measured-kubernetes.ts';
import { postgresOperations } from '../../src/metrics/measured-servers.ts';
import { createMetrics, type Metrics } from '../../src/metrics/metrics.ts';
import { ownSeriesOf, seriesOf } from './series.ts';

const usage = (instance: string) => ({
  instance,
  inUse: 2,
  idle: 1,
  waiting: 3,
  connectFailed: true,
  longStatements: 1,
  calls: 4,
  silent: true,
});

const valuesOf = async (metrics: Metrics, pattern: RegExp): Promise<Record<string, number>> =>
  Object.fromEntries([...seriesOf(await metrics.render())].filter(([name]) => pattern.test(name)));

test('an act is counted by step and outcome, and its time by step', async () => {
  const metrics = createMetrics();
  metrics.acted({ step: 'CreateRole', outcome: 'ok', milliseconds: 30 });
  metrics.acted({ step: 'CreateRole', outcome: 'ServerError', milliseconds: 30 });
  assert.deepEqual(await valuesOf(metrics, /_acts_total|_act_duration_seconds_(sum|count)/), {
    'pgtenancy_acts_total{step="CreateRole",outcome="ok"}': 1,
    'pgtenancy_acts_total{step="CreateRole",outcome="ServerError"}': 1,
    'pgtenancy_act_duration_seconds_sum{step="CreateRole"}': 0.06,
    'pgtenancy_act_duration_seconds_count{step="CreateRole"}': 2,
  });
});

test('a call of each system is counted by operation and outcome, and its time by operation', async () => {
  const metrics = createMetrics();
  const call = { seconds: 0.25, outcome: 'ok', message: '' } as const;
  metrics.postgresCalled({ ...call, operation: 'observe_tenant' });
  metrics.openBaoCalled({ ...call, operation: 'read', outcome: 'OpenBaoSealed' });
  metrics.kubernetesRead({ ...call, operation: 'PostgreSQLTenant' });
  assert.deepEqual(await valuesOf(metrics, /_(calls|reads)_total|_(call|read)_duration_seconds_sum/), {
    'pgtenancy_postgres_calls_total{operation="observe_tenant",outcome="ok"}': 1,
    'pgtenancy_postgres_call_duration_seconds_sum{operation="observe_tenant"}': 0.25,
    'pgtenancy_openbao_calls_total{operation="read",outcome="OpenBaoSealed"}': 1,
    'pgtenancy_openbao_call_duration_seconds_sum{operation="read"}': 0.25,
    'pgtenancy_kubernetes_reads_total{kind="PostgreSQLTenant",outcome="ok"}': 1,
    'pgtenancy_kubernetes_read_duration_seconds_sum{kind="PostgreSQLTenant"}': 0.25,
  });
});

test('refusals are there from the start, each cause with 0, so that the first one is seen as an increase', async () => {
  const metrics = createMetrics();
  metrics.refused('deadline');
  const refusals = await valuesOf(metrics, /_refusals_total/);
  assert.equal(refusals['pgtenancy_hook_refusals_total{cause="deadline"}'], 1);
  assert.equal(refusals['pgtenancy_hook_refusals_total{cause="busy"}'], 0);
  assert.equal(
    Object.values(refusals).reduce((sum, value) => sum + value),
    1,
  );
});

test('a call that is answered is seen as an increase by the first one too, on every route', async () => {
  const shown = await valuesOf(createMetrics(), /_request_duration_seconds_count/);
  assert.deepEqual(
    Object.entries(shown),
    Object.keys(hookRoutes(() => assert.fail('nobody asks'))).map((route) => [
      `pgtenancy_hook_request_duration_seconds_count{route="${route}",code="200"}`,
      0,
    ]),
  );
});

test('logins to OpenBao are counted; the expiry is that of the last one that succeeded', async () => {
  const metrics = createMetrics();
  metrics.openBaoLoggedIn({ outcome: 'ok', expiresAt: 1_700_000_000_500 });
  metrics.openBaoLoggedIn({ outcome: 'OpenBaoUnreachable' });
  assert.deepEqual(await valuesOf(metrics, /_openbao_(logins|token)/), {
    'pgtenancy_openbao_logins_total{outcome="ok"}': 1,
    'pgtenancy_openbao_logins_total{outcome="OpenBaoUnreachable"}': 1,
    pgtenancy_openbao_token_expiry_timestamp_seconds: 1_700_000_000.5,
  });
});

test('the end of the certificate that the hook shows is told in seconds, and is 0 without one', async () => {
  const metrics = createMetrics();
  const name = 'pgtenancy_hook_certificate_expiry_timestamp_seconds';
  assert.deepEqual(await valuesOf(metrics, /_certificate_/), { [name]: 0 });
  metrics.certificateShown(1_700_000_000_000);
  assert.deepEqual(await valuesOf(metrics, /_certificate_/), { [name]: 1_700_000_000 });
});

test('what is held on each server is read when metrics are, and a server that is gone leaves nothing behind', async () => {
  const metrics = createMetrics();
  let servers = [usage('main'), { ...usage('other'), connectFailed: false }];
  metrics.watchServers(() => servers);
  const gauges = /_postgres_(backend|connect_failing|long|calls_under|silent)/;
  assert.deepEqual(await valuesOf(metrics, gauges), {
    'pgtenancy_postgres_backends{postgresql_instance="main",state="in_use"}': 2,
    'pgtenancy_postgres_backends{postgresql_instance="main",state="idle"}': 1,
    'pgtenancy_postgres_backends{postgresql_instance="other",state="in_use"}': 2,
    'pgtenancy_postgres_backends{postgresql_instance="other",state="idle"}': 1,
    'pgtenancy_postgres_backend_waiters{postgresql_instance="main"}': 3,
    'pgtenancy_postgres_backend_waiters{postgresql_instance="other"}': 3,
    'pgtenancy_postgres_connect_failing{postgresql_instance="main"}': 1,
    'pgtenancy_postgres_connect_failing{postgresql_instance="other"}': 0,
    'pgtenancy_postgres_long_statements{postgresql_instance="main"}': 1,
    'pgtenancy_postgres_long_statements{postgresql_instance="other"}': 1,
    'pgtenancy_postgres_calls_under_way{postgresql_instance="main"}': 4,
    'pgtenancy_postgres_calls_under_way{postgresql_instance="other"}': 4,
    'pgtenancy_postgres_silent{postgresql_instance="main"}': 1,
    'pgtenancy_postgres_silent{postgresql_instance="other"}': 1,
  });
  servers = [];
  assert.deepEqual(await valuesOf(metrics, gauges), {});
});

test('a hundred Instances have series of their own, all others share one', async () => {
  const metrics = createMetrics();
  metrics.watchServers(() => Array.from({ length: 150 }, (_, index) => usage(`instance-${index}`)));
  const waiters = await valuesOf(metrics, /_backend_waiters/);
  assert.equal(Object.keys(waiters).length, 101);
  assert.equal(waiters['pgtenancy_postgres_backend_waiters{postgresql_instance="other"}'], 50 * 3);
  const failing = await valuesOf(metrics, /_connect_failing\{.*"other"/);
  assert.deepEqual(Object.values(failing), [50]);
});

test('the build is told by version of the operator and of Node', async () => {
  const text = await createMetrics({ version: '1.2.3' }).render();
  assert.ok(text.includes(`pgtenancy_build_info{version="1.2.3",node="${process.version}"} 1`));
});

test('thousands of values that nobody knows make one series each, with the label `other`', async () => {
  const metrics = createMetrics();
  const forge = (times: number) => {
    for (let index = 0; index < times; index += 1) {
      const forged = `canary-${index}` as never;
      const call = { operation: forged, outcome: forged, seconds: 1, message: forged };
      metrics.requestDone(`/${String(forged)}`, index, 1);
      metrics.refused(forged);
      metrics.acted({ step: forged, outcome: forged, milliseconds: 1 });
      metrics.postgresCalled(call);
      metrics.postgresConnected(forged);
      metrics.openBaoCalled(call);
      metrics.openBaoLoggedIn({ outcome: forged });
      metrics.kubernetesRead(call);
    }
  };
  forge(1_000);
  const before = ownSeriesOf(await metrics.render());
  forge(5_000);
  const after = await metrics.render();
  assert.ok(!after.includes('canary'));
  assert.deepEqual([...ownSeriesOf(after).keys()], [...before.keys()]);
  assert.ok(before.size < 400, `${before.size} series`);
});

test('all known values together make less than 6,000 series, histograms included', async () => {
  const metrics = createMetrics();
  const outcomes = ['ok', 'Bug', 'other', ...Object.keys(reasons)] as never[];
  for (const outcome of outcomes) {
    const call = { outcome, seconds: 1, message: '' };
    for (const step of [...stepKinds, 'other']) metrics.acted({ step, outcome, milliseconds: 1 });
    for (const operation of [...postgresOperations, 'other'] as never[])
      metrics.postgresCalled({ ...call, operation });
    for (const operation of [...openBaoOperations, 'other'] as never[])
      metrics.openBaoCalled({ ...call, operation });
    for (const operation of [...kubernetesKinds, 'other'] as never[])
      metrics.kubernetesRead({ ...call, operation });
    metrics.postgresConnected(outcome);
    metrics.openBaoLoggedIn({ outcome });
  }
  for (let code = 0; code < 600; code += 1) {
    for (const path of [...Object.keys(hookRoutes(() => assert.fail('nobody asks'))), '/none'])
      metrics.requestDone(path, code, 1);
  }
  const { size } = ownSeriesOf(await metrics.render());
  assert.ok(size > 2_000 && size < 6_000, `${size} series`);
});

test('every name follows the conventions: own prefix, base units, _total for what is counted', async () => {
  const metrics = createMetrics();
  metrics.watchServers(() => [usage('main')]);
  const text = await metrics.render();
  const types = [...text.matchAll(/^# TYPE (pgtenancy_\S+) (\S+)$/gm)].map(
    ([, name = '', type = '']) => [name, type] as const,
  );
  assert.ok(types.length >= 15, `${types.length} metrics`);
  for (const [name, type] of types) {
    assert.match(name, /^pgtenancy_(hook|act|acts|postgres|openbao|kubernetes|build)_[a-z_]+$/);
    assert.equal(name.endsWith('_total'), type === 'counter', name);
    if (type === 'histogram') assert.match(name, /_seconds$/);
    assert.match(text, new RegExp(`^# HELP ${name} [A-Za-z0-9].{15,}\\.$`, 'm'));
  }
});
