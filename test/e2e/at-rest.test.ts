import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { linesOf } from '../log/kept-log.ts';
import { ownSeriesOf } from '../metrics/series.ts';
import { sql } from '../scenarios/sql.ts';
import { raise, type Stage } from '../scenarios/stage.ts';
import { type Traces, tracesIn } from '../scenarios/stillness.ts';
import { apply, ready, tenant, untilCondition } from '../scenarios/tenants.ts';
import type { HookCall } from '../world/metacontroller/hooks.ts';
import { externalSecrets, instances, secrets, tenants } from '../world/kubernetes/resources.ts';
import { restSeconds, unexplained } from './rest.ts';

/* Nobody changes anything, with the times of production: five Tenants that are Ready, and two that wait for people. */

const production = {
  LOG_LEVEL: 'info',
  RESYNC_SECONDS: '300',
  CHECK_INTERVAL_SECONDS_MIN: '600',
  CHECK_INTERVAL_SECONDS_MAX: '3600',
};
/** `resyncPeriodSeconds` of the two CompositeControllers. */
const periodSeconds = { instances: 300, tenants: 900 };
const names = ['one', 'two', 'three', 'four', 'five'];

let stage: Stage;
let from: Rest;
let to: Rest;
before(async () => {
  // Otherwise PostgreSQL itself notes for a standby, once, which transactions run.
  stage = await raise({ env: production, postgres: { wal_level: 'minimal', max_wal_senders: '0' } });
  for (const name of names) await ready(stage, name, { extensions: [{ name: 'citext' }] });
  await apply(stage, tenant('wrong', { extensions: [{ name: 'no_such_thing' }] }));
  await apply(stage, tenant('lost', { instanceRef: { name: 'nowhere' } }));
  await untilCondition(stage, 'wrong', 'Ready', { status: 'False', reason: 'ExtensionUnavailable' });
  await untilCondition(stage, 'lost', 'Ready', { status: 'False', reason: 'InstanceNotFound' });
  // What the climbs left to do for PostgreSQL: it would write of itself, and readers would tidy up pages.
  for (const database of ['postgres', undefined])
    await sql(stage, 'vacuum', database === undefined ? {} : { database });
  await sleep(20_000);
  await sql(stage, 'checkpoint');
  await sleep(1_000);
  from = await look();
  await sleep(1000 * restSeconds());
  to = await look();
});
after(() => stage.close());

interface Rest {
  readonly at: number;
  readonly traces: Traces;
  /** Position in PostgreSQL's log of writes. */
  readonly wal: string;
  /** How many versions of objects there were so far, by their kind. */
  readonly versions: readonly number[];
  readonly logLines: number;
  /** Calls to OpenBao by what they are. */
  readonly openBao: Readonly<Record<string, number>>;
}

async function look(): Promise<Rest> {
  const kinds = [tenants, instances, externalSecrets, secrets];
  return {
    at: Date.now(),
    traces: await tracesIn(stage),
    wal: await walPosition(),
    versions: kinds.map((kind) => stage.recorder.versions(kind).length),
    logLines: linesOf(stage.world.hook.log()).length,
    openBao: await openBaoCalls(),
  };
}

async function walPosition(): Promise<string> {
  const [row] = await sql<{ lsn: string }>(
    stage,
    'select pg_catalog.pg_current_wal_insert_lsn()::text as lsn',
  );
  return row?.lsn ?? '';
}

async function openBaoCalls(): Promise<Record<string, number>> {
  const text = await (await fetch(`${stage.world.hook.metricsUrl}/metrics`)).text();
  const counts: Record<string, number> = {};
  for (const [series, value] of ownSeriesOf(text)) {
    const operation = /^pgtenancy_openbao_calls_total\{operation="(\w+)"/.exec(series)?.[1];
    if (operation !== undefined) counts[operation] = (counts[operation] ?? 0) + value;
  }
  return counts;
}

test('Nothing is written to the Kubernetes API, and no object changes', () => {
  assert.deepEqual(to.traces.kubernetesWrites.slice(from.traces.kubernetesWrites.length), []);
  assert.deepEqual(to.versions, from.versions);
});

test('Nothing is written to PostgreSQL', () => {
  assert.deepEqual([to.traces.transactions, to.wal], [from.traces.transactions, from.wal]);
});

test('Nothing is written to OpenBao, and the operator logs in no more often than its token needs', (t) => {
  assert.deepEqual(to.traces.records, from.traces.records);
  const made = Object.entries(to.openBao).map(([operation, count]) => [
    operation,
    count - (from.openBao[operation] ?? 0),
  ]);
  const { login = 0, ...others } = Object.fromEntries(made) as Record<string, number>;
  t.diagnostic(`calls to OpenBao: ${JSON.stringify({ login, ...others })}`);
  // A token lives for 15 minutes and is renewed after two thirds of that.
  assert.ok(login <= Math.ceil((to.at - from.at) / 600_000), `${login} logins`);
  assert.deepEqual(
    Object.entries(others).filter(([operation, count]) => operation !== 'read' && count > 0),
    [],
  );
});

test('Nothing is logged', () => {
  assert.deepEqual(linesOf(stage.world.hook.log()).slice(from.logLines), []);
});

test('The hook is called when an answer asked for it or the period of the resync is over, and never else', (t) => {
  const seconds = (to.at - from.at) / 1000;
  for (const name of [...names, 'wrong', 'lost', 'pg-main']) {
    const calls = stage.calls.filter((call) => call.name === name);
    const syncs = calls.filter(({ hook }) => hook === 'sync');
    const during = syncs.filter(within);
    const period = name === 'pg-main' ? periodSeconds.instances : periodSeconds.tenants;
    const others = unexplained(syncs).filter(within).length;
    t.diagnostic(`${name}: ${during.length} calls, ${others} of them for the period`);
    assert.ok(others <= Math.ceil(seconds / period), `${name} was called ${others} times for no reason`);
    assertNotForgotten(name, syncs);
    assert.deepEqual(
      calls.filter(({ hook }) => hook === 'finalize'),
      [],
    );
  }
});

const within = ({ startedAt }: HookCall): boolean => startedAt >= from.at && startedAt <= to.at;

/** After each answer the next call comes at the latest when it asked for it. */
function assertNotForgotten(name: string, syncs: readonly HookCall[]): void {
  for (const [index, call] of syncs.entries()) {
    const next = syncs[index + 1]?.startedAt ?? to.at;
    const { resyncAfterSeconds } = call.response as { resyncAfterSeconds?: number };
    const asked = call.startedAt + call.durationMs + 1000 * (resyncAfterSeconds ?? 0);
    assert.ok(next <= asked + 30_000, `${name} was called ${next - asked} ms late`);
  }
}
