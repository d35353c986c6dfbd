import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { clusterSecretStores } from '../world/kubernetes/resources.ts';
import { changingNothing } from './belongings.ts';
import { assertNothingLeaked } from './canaries.ts';
import { conditionOf, phaseOf } from './conditions.ts';
import { query, secretOf } from './sql.ts';
import { raise, type Stage } from './stage.ts';
import { resyncs } from './stillness.ts';
import { apply, tenant, untilCondition, untilReady } from './tenants.ts';

const storeName = 'not-made-yet';

let stage: Stage;
before(async () => {
  stage = await raise({ env: { SECRET_STORE_NAME: storeName } });
});
after(() => stage.close());

const notSynced = { status: 'False', reason: 'SecretNotSynced' };

test('A Tenant whose store External Secrets does not have says which one, and what to do', async () => {
  await apply(stage, tenant('waiting'));
  await untilCondition(stage, 'waiting', 'CredentialProjected', notSynced);
  const held = await changingNothing(stage, async () => {
    await resyncs(stage, ['waiting'], 3);
    return untilCondition(stage, 'waiting', 'Ready', notSynced);
  });
  assert.equal(phaseOf(held), 'ExternalSecretCreated');
  const said = conditionOf(held, 'Ready')?.message ?? '';
  assert.match(said, /^External Secrets has not written Secret "waiting-postgresql" \(SecretSyncedError\); /);
  assert.match(said, /kubectl -n shop describe externalsecret waiting-postgresql/);
  assert.match(said, /the platform administrator checks .* ClusterSecretStore "not-made-yet" exists/);
});

test('It goes on by itself once the store is there', async () => {
  const other = await stage.kube.get(clusterSecretStores, 'postgresql-tenants');
  assert.ok(other?.spec !== undefined);
  const { apiVersion, kind, spec } = other;
  await stage.kube.create(clusterSecretStores, { apiVersion, kind, metadata: { name: storeName }, spec });
  await untilReady(stage, 'waiting');
  assert.deepEqual(await query(await secretOf(stage, 'waiting'), 'select 1 as one'), [{ one: 1 }]);
});

test('None of this showed a password or a token', () => assertNothingLeaked(stage));
