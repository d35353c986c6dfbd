import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { externalSecrets, instances, namespaces, secrets, tenants } from '../world/kubernetes/resources.ts';
import { waitFor } from '../world/servers/wait-for.ts';
import { actsIn } from './acts.ts';
import { assertNothingLeaked } from './canaries.ts';
import { conditionOf } from './conditions.ts';
import { messagesOf, remainsOf, untilGone } from './descents.ts';
import { instance, untilInstanceReady } from './instances.ts';
import { query, secretOf, sql } from './sql.ts';
import { raise, type Stage } from './stage.ts';
import { lookedAtAgain, resyncs } from './stillness.ts';
import { apply, change, ready, splitName, untilCondition } from './tenants.ts';
import { beforeItsTenantsGo } from './terminating-namespace.ts';

let stage: Stage;
before(async () => {
  stage = await raise();
});
after(() => stage.close());

async function filled(name: string, spec: Record<string, unknown>): Promise<Record<string, string>> {
  await ready(stage, name, spec);
  const secret = await secretOf(stage, name);
  await query(secret, 'create table public.precious as select 1 as one');
  return secret;
}

const precious = (secret: Record<string, string>) => query(secret, 'select one from public.precious');

/** `kubectl delete --cascade=...`. */
const erase = (name: string, propagation: 'Background' | 'Foreground' | 'Orphan') => {
  const { namespace, name: own } = splitName(name);
  return stage.kube.delete(tenants, own, namespace, { propagation });
};

const secretGone = (name: string): Promise<true> =>
  waitFor(
    `the Secret of ${name} to go`,
    async () => (await stage.kube.get(secrets, `${name}-postgresql`, 'shop')) === undefined,
  );

const nothing = { child: false, database: 'gone', role: false, record: false, row: undefined };
const kept = { child: false, database: 'open', role: true, record: true, row: 'Retained' };

test('Deleted in the foreground, a Tenant waits for the garbage collector, and then leaves nothing anywhere', async () => {
  await filled('front', { deletionPolicy: 'Delete' });
  const child = await stage.kube.get(externalSecrets, 'front-postgresql', 'shop');
  const finalizers = child?.metadata.finalizers ?? [];
  await stage.kube.patch(externalSecrets, 'front-postgresql', 'shop', {
    metadata: { finalizers: [...finalizers, 'example.com/hold'] },
  });
  await erase('front', 'Foreground');
  await untilCondition(stage, 'front', 'Ready', { status: 'False', reason: 'Deleting' });
  assert.equal((await remainsOf(stage, 'front')).database, 'open');
  await stage.kube.patch(externalSecrets, 'front-postgresql', 'shop', { metadata: { finalizers: null } });
  await untilGone(stage, 'front');
  assert.deepEqual(await remainsOf(stage, 'front'), nothing);
  await secretGone('front');
});

test('Deleted in the foreground under Retain, a Tenant keeps what is in PostgreSQL and OpenBao', async () => {
  const secret = await filled('frontkept', { deletionPolicy: 'Retain' });
  await erase('frontkept', 'Foreground');
  await untilGone(stage, 'frontkept');
  assert.deepEqual(await remainsOf(stage, 'frontkept'), kept);
  assert.deepEqual(await precious(secret), [{ one: 1 }]);
});

test('Orphaned under Delete, the Secret goes on working and nothing is deleted, until a person does what the message says', async () => {
  const secret = await filled('orphan', { deletionPolicy: 'Delete' });
  await erase('orphan', 'Orphan');
  const held = await untilCondition(stage, 'orphan', 'Ready', {
    status: 'False',
    reason: 'ExternalSecretOrphaned',
  });
  assert.equal(conditionOf(held, 'Stalled')?.status, 'True');
  await lookedAtAgain(stage, 'orphan');
  assert.deepEqual(await remainsOf(stage, 'orphan'), { ...kept, child: true, row: 'Active' });
  assert.deepEqual(await secretOf(stage, 'orphan'), secret);
  assert.deepEqual(await precious(secret), [{ one: 1 }]);
  const said = conditionOf(held, 'Ready')?.message ?? '';
  const [, name = '', namespace = ''] =
    /kubectl delete externalsecret (\S+) --namespace (\S+?)\./.exec(said) ?? [];
  await stage.kube.delete(externalSecrets, name, namespace);
  await untilGone(stage, 'orphan');
  assert.deepEqual(await remainsOf(stage, 'orphan'), nothing);
  await secretGone('orphan');
});

test('Orphaned under Delete, a policy that becomes Retain lets the Tenant go, and the Secret goes on working', async () => {
  const secret = await filled('orphankept', { deletionPolicy: 'Delete' });
  await erase('orphankept', 'Orphan');
  await untilCondition(stage, 'orphankept', 'Ready', { status: 'False', reason: 'ExternalSecretOrphaned' });
  await change(stage, 'orphankept', { deletionPolicy: 'Retain' });
  await untilGone(stage, 'orphankept');
  assert.deepEqual(await remainsOf(stage, 'orphankept'), { ...kept, child: true });
  assert.deepEqual(await secretOf(stage, 'orphankept'), secret);
  assert.deepEqual(await precious(secret), [{ one: 1 }]);
});

test('Orphaned under Retain, a Tenant goes at once and leaves everything in use', async () => {
  const secret = await filled('left', { deletionPolicy: 'Retain' });
  await erase('left', 'Orphan');
  await untilGone(stage, 'left');
  assert.deepEqual(await remainsOf(stage, 'left'), { ...kept, child: true });
  assert.deepEqual(await secretOf(stage, 'left'), secret);
  assert.deepEqual(await precious(secret), [{ one: 1 }]);
});

const creations = (namespace: string) =>
  stage.world.api.audit.filter(
    (one) =>
      one.verb === 'create' && one.namespace === namespace && one.resource.startsWith('externalsecrets'),
  ).length;

async function newNamespace(name: string): Promise<void> {
  await stage.kube.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
}

const namespaceGone = (name: string): Promise<true> =>
  waitFor(`namespace ${name} to go`, async () => (await stage.kube.get(namespaces, name)) === undefined, {
    timeoutMs: 90_000,
  });

test('With its namespace a Tenant goes as its policy says, and nothing is created in what is being deleted', async () => {
  await newNamespace('team');
  const secret = await filled('team/keep', { deletionPolicy: 'Retain' });
  await filled('team/drop', { deletionPolicy: 'Delete' });
  const before = creations('team');
  await stage.kube.delete(namespaces, 'team');
  await namespaceGone('team');
  assert.deepEqual(await remainsOf(stage, 'team/keep'), kept);
  assert.deepEqual(await precious(secret), [{ one: 1 }]);
  assert.deepEqual(await remainsOf(stage, 'team/drop'), nothing);
  assert.equal(creations('team'), before);
});

test('A Tenant that lost its ExternalSecret to the end of its namespace says so, and asks for no new one', async () => {
  await newNamespace('slow');
  await ready(stage, 'slow/app', { deletionPolicy: 'Delete' });
  const before = creations('slow');
  await beforeItsTenantsGo(stage, 'slow', async () => {
    await stage.kube.delete(externalSecrets, 'app-postgresql', 'slow');
    await untilCondition(stage, 'slow/app', 'Ready', { status: 'False', reason: 'NamespaceTerminating' });
    await resyncs(stage, ['slow/app'], 2);
    assert.equal(creations('slow'), before);
  });
  await erase('slow/app', 'Background');
  await untilGone(stage, 'slow/app');
  assert.deepEqual(await remainsOf(stage, 'slow/app'), nothing);
});

test('Namespace and Instance go together, also while the operator is away: Tenants first, the Instance last', async () => {
  await newNamespace('both');
  await apply(stage, instance('pg-both', stage.world.postgres.port));
  await untilInstanceReady(stage.kube, 'pg-both');
  const on = (deletionPolicy: string) => ({ instanceRef: { name: 'pg-both' }, deletionPolicy });
  const secret = await filled('both/keep', on('Retain'));
  await filled('both/drop', on('Delete'));
  await stage.world.hook.kill();
  await stage.kube.delete(instances, 'pg-both');
  await stage.kube.delete(namespaces, 'both');
  const deletedAt = Date.now();
  await waitFor('a call for the Tenant that nobody answers', () =>
    stage.calls.some(
      ({ name, error, startedAt }) => name === 'drop' && error !== undefined && startedAt > deletedAt,
    ),
  );
  assert.deepEqual((await remainsOf(stage, 'both/drop')).database, 'open');
  await stage.world.hook.start();
  await namespaceGone('both');
  await waitFor(
    'the Instance to go',
    async () => (await stage.kube.get(instances, 'pg-both')) === undefined,
    { timeoutMs: 90_000 },
  );
  assert.deepEqual(await remainsOf(stage, 'both/keep'), kept);
  assert.deepEqual(await precious(secret), [{ one: 1 }]);
  assert.deepEqual(await remainsOf(stage, 'both/drop'), nothing);
  const steps = actsIn(stage.world.hook.log(), 'both/drop').map(({ step, outcome }) => `${step} ${outcome}`);
  assert.deepEqual(steps.slice(-2), ['DeleteCredential ok', 'ReleaseNames ok']);
  assert.ok(messagesOf(stage, 'both/keep').every((message) => !message.includes('gone already')));
  assert.equal((await sql(stage, 'select from pgtenancy.instance')).length, 1);
});

test('None of this showed a password or a token', () => assertNothingLeaked(stage));
