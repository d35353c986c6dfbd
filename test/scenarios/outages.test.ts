import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { assertNothingLeaked } from './canaries.ts';
import { conditionOf, phaseOf } from './conditions.ts';
import { post } from './forge.ts';
import { assertClimbed } from './recorder.ts';
import { asTenant, secretOf } from './sql.ts';
import { raise, type Stage } from './stage.ts';
import { recordsIn, resyncs, settled, tracesIn } from './stillness.ts';
import { apply, look, ready, remove, tenant, untilCondition, untilReady } from './tenants.ts';

let stage: Stage;
before(async () => {
  stage = await raise({ openBao: 'server' });
  await ready(stage, 'before');
});
after(() => stage.close());

/** Ready by phase and condition, whatever the last look failed at. */
async function staysReady(name: string): Promise<void> {
  const found = await look(stage, name);
  assert.equal(phaseOf(found), 'Ready');
  assert.equal(conditionOf(found, 'Ready')?.status, 'True');
}

test('While PostgreSQL is down a Ready Tenant stays Ready, and a new one says why it waits and goes on by itself', async () => {
  const records = await recordsIn(stage);
  await stage.world.postgres.stop();
  await apply(stage, tenant('during'));
  const waiting = { status: 'Unknown', reason: 'InstanceUnreachable' };
  await untilCondition(stage, 'before', 'CredentialCreated', waiting);
  await untilCondition(stage, 'during', 'CredentialCreated', waiting);
  await resyncs(stage, ['before', 'during'], 2);
  await staysReady('before');
  assert.deepEqual(await recordsIn(stage), records);
  await stage.world.postgres.start();
  await untilReady(stage, 'during');
  assertClimbed(await stage.recorder.phasesOf('during'));
  await untilCondition(stage, 'before', 'CredentialCreated', { status: 'True' });
  assertClimbed(await stage.recorder.phasesOf('before'));
});

test('While OpenBao is sealed a Ready Tenant stays Ready, and a new one says why it waits and goes on by itself', async () => {
  await settled(stage, 'before');
  const secret = await secretOf(stage, 'before');
  await stage.world.openBao.seal();
  await apply(stage, tenant('sealed'));
  const waiting = { status: 'Unknown', reason: 'OpenBaoSealed' };
  await untilCondition(stage, 'before', 'CredentialCreated', waiting);
  await untilCondition(stage, 'sealed', 'CredentialCreated', waiting);
  await resyncs(stage, ['before', 'sealed'], 2);
  await staysReady('before');
  assert.deepEqual(await asTenant(stage, 'before', 'select 1 as one'), [{ one: 1 }]);
  await stage.world.openBao.unseal();
  await untilReady(stage, 'sealed');
  await untilCondition(stage, 'before', 'CredentialCreated', { status: 'True' });
  assert.deepEqual(await secretOf(stage, 'before'), secret);
  assertClimbed(await stage.recorder.phasesOf('before'));
});

test('While OpenBao is sealed a deletion destroys nothing that it cannot finish, and ends afterwards', async () => {
  await ready(stage, 'leaving', { deletionPolicy: 'Delete' });
  await stage.world.openBao.seal();
  const leaving = remove(stage, 'leaving');
  await untilCondition(stage, 'leaving', 'Ready', { status: 'False' });
  await stage.world.openBao.unseal();
  await leaving;
  assert.deepEqual(
    Object.keys(await recordsIn(stage)).filter((path) => path.includes('/leaving/')),
    [],
  );
});

test('While the Kubernetes API is away nothing is written, and it goes on afterwards as if nothing had been', async () => {
  await settled(stage, 'before');
  const { faults } = stage.world.api;
  const before = await tracesIn(stage);
  const calls = stage.calls.length;
  faults.down = true;
  try {
    // The operator is asked all the same, with what Metacontroller remembers.
    const remembered = stage.calls.findLast(({ hook, name }) => hook === 'sync' && name === 'before');
    const answer = await post(stage, '/tenants/sync', JSON.stringify(remembered?.request));
    assert.equal(answer.status, 200);
    const { status, children } = JSON.parse(answer.text) as {
      status: { phase: string };
      children: unknown[];
    };
    assert.equal(status.phase, 'Ready');
    assert.equal(children.length, 1);
  } finally {
    faults.down = false;
  }
  await resyncs(stage, ['before'], 2);
  assert.ok(stage.calls.length > calls);
  await untilReady(stage, 'before');
  const { transactions, records } = await tracesIn(stage);
  assert.deepEqual({ transactions, records }, { transactions: before.transactions, records: before.records });
  assertClimbed(await stage.recorder.phasesOf('before'));
});

test('None of this showed a password or a token', () => assertNothingLeaked(stage));
