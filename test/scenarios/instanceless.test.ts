import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import type { KubeObject } from '../world/kubernetes/client.ts';
import { instances, secrets, tenants } from '../world/kubernetes/resources.ts';
import { waitFor } from '../world/servers/wait-for.ts';
import { operatorNamespace } from '../world/names.ts';
import { assertNothingLeaked } from './canaries.ts';
import { conditionOf, tokenIn } from './conditions.ts';
import { remainsOf, untilGone } from './descents.ts';
import { instance, untilInstanceReady } from './instances.ts';
import { query, secretOf } from './sql.ts';
import { raise, type Stage } from './stage.ts';
import { lookedAtAgain, syncsOf } from './stillness.ts';
import {
  apply,
  change,
  confirm,
  look,
  ready,
  remove,
  tenant,
  untilCondition,
  untilReady,
} from './tenants.ts';

let stage: Stage;
before(async () => {
  stage = await raise({ openBao: 'server' });
});
after(() => stage.close());

const nothing = { child: false, database: 'gone', role: false, record: false, row: undefined };
const wayOut = '. To keep everything and let the Tenant go, set spec.deletionPolicy to Retain';

const erase = (name: string) => stage.kube.delete(tenants, name, 'shop');

/** What it says while it cannot be told whether it owns anything; and that this is not about to change. */
async function waits(name: string, reason: string): Promise<void> {
  const object = await stage.kube.get(tenants, name, 'shop');
  await waitFor(`Tenant ${name} to wait with ${reason}`, async () => {
    const ready = conditionOf(await look(stage, name), 'Ready');
    return ready?.status === 'False' && ready.reason === reason && ready.message.endsWith(wayOut);
  });
  await lookedAtAgain(stage, name);
  assert.equal((await look(stage, name))?.metadata.uid, object?.metadata.uid);
}

const onNone = (name: string, deletionPolicy: string): KubeObject =>
  tenant(name, { instanceRef: { name: 'pg-nowhere' }, deletionPolicy });

for (const deletionPolicy of ['Retain', 'Delete']) {
  test(`${deletionPolicy}: a Tenant whose Instance never was goes at once, because there was nowhere to make anything`, async () => {
    await apply(stage, onNone('nowhere', deletionPolicy));
    await untilCondition(stage, 'nowhere', 'Ready', { status: 'False', reason: 'InstanceNotFound' });
    await remove(stage, 'nowhere');
    assert.deepEqual(await remainsOf(stage, 'nowhere'), nothing);
  });
}

test('A Tenant whose Instance was never Ready: Delete waits until the server can be asked, and goes then', async () => {
  await apply(stage, instance('pg-bare', stage.world.postgres.port, { managementDatabase: 'nowhere' }));
  await apply(stage, tenant('hopeful', { instanceRef: { name: 'pg-bare' }, deletionPolicy: 'Delete' }));
  await waitFor(
    'it to be told',
    async () => conditionOf(await look(stage, 'hopeful'), 'Ready') !== undefined,
  );
  await erase('hopeful');
  await waits('hopeful', 'ManagementDatabaseMissing');
  await tearOut('pg-bare');
  await untilGone(stage, 'hopeful');
});

test('Without the management Secret nobody can say what a Tenant owns: it waits, and goes when the Secret is there', async () => {
  const spec = { managementSecretRef: { name: 'pg-late' } };
  await apply(stage, instance('pg-late', stage.world.postgres.port, spec));
  await apply(stage, tenant('late', { instanceRef: { name: 'pg-late' }, deletionPolicy: 'Delete' }));
  await waitFor('it to be told', async () => conditionOf(await look(stage, 'late'), 'Ready') !== undefined);
  await erase('late');
  await waits('late', 'ManagementSecretMissing');
  const known = await stage.kube.get(secrets, 'pg-main-management', operatorNamespace);
  assert.ok(known?.data !== undefined);
  const metadata = { name: 'pg-late', namespace: operatorNamespace };
  await stage.kube.create(secrets, { apiVersion: 'v1', kind: 'Secret', metadata, data: known.data });
  await untilGone(stage, 'late');
});

test('While PostgreSQL or OpenBao is down nobody can say what a Tenant owns: it waits, and goes afterwards', async () => {
  await stage.world.postgres.stop();
  await apply(stage, tenant('down', { deletionPolicy: 'Delete' }));
  await untilCondition(stage, 'down', 'CredentialCreated', {
    status: 'Unknown',
    reason: 'InstanceUnreachable',
  });
  await erase('down');
  await waits('down', 'InstanceUnreachable');
  await stage.world.openBao.seal();
  await stage.world.postgres.start();
  await waits('down', 'OpenBaoSealed');
  await stage.world.openBao.unseal();
  await untilGone(stage, 'down');
  assert.deepEqual(await remainsOf(stage, 'down'), nothing);
});

/** As by hand: its finalizer is taken off. */
async function tearOut(name: string): Promise<void> {
  await stage.kube.delete(instances, name);
  await stage.kube
    .patch(instances, name, undefined, { metadata: { finalizers: null } })
    .catch(() => undefined);
  await waitFor(`Instance ${name} to go`, async () => (await stage.kube.get(instances, name)) === undefined);
}

async function filled(name: string, spec: Record<string, unknown>): Promise<Record<string, string>> {
  await ready(stage, name, spec);
  const secret = await secretOf(stage, name);
  await query(secret, 'create table public.precious as select 1 as one');
  return secret;
}

const precious = (secret: Record<string, string>) => query(secret, 'select one from public.precious');

test('An Instance that was torn out: Retain goes at once; Delete waits, and goes by the way that it names', async () => {
  await apply(stage, instance('pg-torn', stage.world.postgres.port));
  await untilInstanceReady(stage.kube, 'pg-torn');
  const on = (deletionPolicy: string) => ({ instanceRef: { name: 'pg-torn' }, deletionPolicy });
  const [kept, deleted] = await Promise.all([filled('tornkept', on('Retain')), filled('torn', on('Delete'))]);
  await tearOut('pg-torn');
  // For a moment it is still among what Metacontroller posts, and a row could still be marked.
  for (const name of ['tornkept', 'torn'])
    await waitFor(`${name} to be told that its Instance is gone`, () =>
      JSON.stringify(syncsOf(stage, name).at(-1)?.response).includes('InstanceNotFound'),
    );
  await remove(stage, 'tornkept');
  await erase('torn');
  await waits('torn', 'InstanceNotFound');
  assert.deepEqual(await precious(deleted), [{ one: 1 }]);
  await change(stage, 'torn', { deletionPolicy: 'Retain' });
  await untilGone(stage, 'torn');
  // Nobody could mark the rows; the names are held all the same.
  for (const name of ['tornkept', 'torn']) {
    const left = { child: false, database: 'open', role: true, record: true, row: 'Active' };
    assert.deepEqual(await remainsOf(stage, name), left);
  }
  assert.deepEqual(await precious(kept), [{ one: 1 }]);
  assert.match(stage.world.hook.log(), /retained without a mark/);
});

test('A new Instance of the same name gets the Tenants of the old one by the word of a person, one after the other', async () => {
  await apply(stage, instance('pg-again', stage.world.postgres.port));
  await untilInstanceReady(stage.kube, 'pg-again');
  const on = (deletionPolicy: string) => ({ instanceRef: { name: 'pg-again' }, deletionPolicy });
  const secret = await filled('moved', on('Retain'));
  await filled('movedaway', on('Delete'));
  await filled('movedkept', on('Retain'));
  await tearOut('pg-again');
  await apply(stage, instance('pg-again', stage.world.postgres.port));
  await untilInstanceReady(stage.kube, 'pg-again');

  const changed = { status: 'False', reason: 'InstanceChanged' };
  const held = await untilCondition(stage, 'moved', 'Ready', changed);
  const token = tokenIn(conditionOf(held, 'Ready') ?? assert.fail());
  assert.deepEqual(await precious(secret), [{ one: 1 }]);
  await confirm(stage, 'moved', token);
  await untilReady(stage, 'moved');
  assert.deepEqual(await precious(secret), [{ one: 1 }]);

  for (const name of ['movedaway', 'movedkept']) {
    await erase(name);
    const leaving = conditionOf(await untilCondition(stage, name, 'Ready', changed), 'Ready');
    assert.equal(tokenIn(leaving ?? assert.fail()), token, 'one word for all Tenants of the Instance');
    await confirm(stage, name, token);
    await untilGone(stage, name);
  }
  assert.deepEqual(await remainsOf(stage, 'movedaway'), nothing);
  assert.equal((await remainsOf(stage, 'movedkept')).row, 'Retained');
});

test('None of this showed a password or a token', () => assertNothingLeaked(stage));
