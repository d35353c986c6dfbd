import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { externalSecrets, instances, namespaces, secrets } from '../world/kubernetes/resources.ts';
import { waitFor } from '../world/servers/wait-for.ts';
import { assertNothingLeaked } from './canaries.ts';
import { heldUpOne } from './held-up.ts';
import { instance, untilInstanceReady } from './instances.ts';
import { inPostgres, query, secretOf, sql } from './sql.ts';
import { raise, type Stage } from './stage.ts';
import { resyncs } from './stillness.ts';
import { apply, ready, remove, type TenantName, untilCondition, untilReady } from './tenants.ts';

let stage: Stage;
before(async () => {
  stage = await raise();
});
after(() => stage.close());

/** Held up before anything was made: told in the three places where one looks, and nothing exists. */
const heldUp = (name: TenantName, reason: string, spec: Record<string, unknown> = {}): Promise<string> =>
  heldUpOne(stage, { name, reason, spec });

test('A Tenant in a namespace that the Instance does not name waits, and goes on once it is named', async () => {
  const { port } = stage.world.postgres;
  await apply(stage, instance('pg-named', port, { allowedNamespaces: { names: ['shop'] } }));
  await untilInstanceReady(stage.kube, 'pg-named');
  const said = await heldUp('blog/posts', 'NamespaceNotAllowed', { instanceRef: { name: 'pg-named' } });
  assert.match(said, /does not serve namespace "blog"; ask the platform administrator to add the namespace/);
  assert.deepEqual(await inPostgres(stage, 'blog_posts'), {});
  const allowedNamespaces = { names: ['shop', 'blog'] };
  await stage.kube.patch(instances, 'pg-named', undefined, { spec: { allowedNamespaces } });
  await untilReady(stage, 'blog/posts');
});

test('A Tenant in a namespace without the label that the Instance selects waits, and goes on once it is labelled', async () => {
  const { port } = stage.world.postgres;
  const selector = { matchLabels: { tier: 'production' } };
  await apply(stage, instance('pg-selected', port, { allowedNamespaces: { selector } }));
  await untilInstanceReady(stage.kube, 'pg-selected');
  const spec = { instanceRef: { name: 'pg-selected' }, deletionPolicy: 'Delete' };
  await heldUp('labelled/posts', 'NamespaceNotAllowed', spec);
  await stage.kube.patch(namespaces, 'labelled', undefined, { metadata: { labels: { tier: 'production' } } });
  await untilReady(stage, 'labelled/posts');
  // Taken away again, it is told, and what exists goes on being served.
  await stage.kube.patch(namespaces, 'labelled', undefined, { metadata: { labels: { tier: null } } });
  await untilCondition(stage, 'labelled/posts', 'CredentialCreated', {
    status: 'True',
    reason: 'NamespaceNotAllowed',
  });
  await untilReady(stage, 'labelled/posts');
  assert.deepEqual(await query(await secretOf(stage, 'labelled/posts'), 'select 1 as one'), [{ one: 1 }]);
  await remove(stage, 'labelled/posts');
});

test('A Tenant of an Instance that does not exist waits, and goes on by itself once it does', async () => {
  await heldUp('early', 'InstanceNotFound', { instanceRef: { name: 'pg-later' } });
  await apply(stage, instance('pg-later', stage.world.postgres.port));
  await untilReady(stage, 'early');
});

test('A Tenant of an Instance that never was there can be deleted, with either policy', async () => {
  for (const deletionPolicy of ['Delete', 'Retain']) {
    await heldUp('never', 'InstanceNotFound', { instanceRef: { name: 'pg-never' }, deletionPolicy });
    await remove(stage, 'never');
  }
});

test('A Tenant whose Instance cannot be reached says so, and goes on once the address is right', async () => {
  const { port } = stage.world.postgres;
  await apply(stage, instance('pg-wrong', 1));
  await heldUp('patient', 'InstanceNotReady', { instanceRef: { name: 'pg-wrong' } });
  await stage.kube.patch(instances, 'pg-wrong', undefined, { spec: { port } });
  await untilInstanceReady(stage.kube, 'pg-wrong');
  await untilReady(stage, 'patient');
});

test('An ExternalSecret of the name that belongs to somebody else is a Conflict, and is not taken over', async () => {
  const foreign = {
    apiVersion: 'external-secrets.io/v1',
    kind: 'ExternalSecret',
    metadata: { name: 'guest-postgresql', namespace: 'shop' },
    spec: {
      refreshInterval: '15m',
      secretStoreRef: { kind: 'ClusterSecretStore', name: 'platform' },
      target: { name: 'guest-postgresql' },
      data: [{ secretKey: 'username', remoteRef: { key: 'management/pg-main', property: 'username' } }],
    },
  };
  await apply(stage, foreign);
  // External Secrets writes what somebody asked it for.
  await waitFor('the Secret of the guest', () => stage.kube.get(secrets, 'guest-postgresql', 'shop'));
  assert.match(await heldUp('guest', 'Conflict'), /ExternalSecret "guest-postgresql" exists already/);
  await resyncs(stage, ['guest'], 2);
  const found = await stage.kube.get(externalSecrets, 'guest-postgresql', 'shop');
  assert.deepEqual(found?.metadata.ownerReferences, undefined);
  assert.equal(found?.spec?.['refreshInterval'], '15m');
  await stage.kube.delete(externalSecrets, 'guest-postgresql', 'shop');
  await untilReady(stage, 'guest');
});

test('A database or a role of the name that somebody made by hand is a Conflict, and stays as it is', async () => {
  await sql(stage, 'create database byhand');
  await sql(stage, 'create role byhand_role');
  const deletionPolicy = 'Delete';
  assert.match(
    await heldUp('database', 'Conflict', { databaseName: 'byhand', deletionPolicy }),
    /database "byhand" exists already/,
  );
  assert.match(
    await heldUp('role', 'Conflict', { roleName: 'byhand_role', deletionPolicy }),
    /role "byhand_role" exists already/,
  );
  await Promise.all([remove(stage, 'database'), remove(stage, 'role')]);
  assert.notEqual((await inPostgres(stage, 'byhand')).database, undefined);
  assert.notEqual((await inPostgres(stage, 'byhand_role')).role, undefined);
});

test('One extension that the server does not offer stops a new Tenant before anything is made', async () => {
  const extensions = [{ name: 'citext' }, { name: 'no_such_extension' }];
  assert.match(await heldUp('bad', 'ExtensionUnavailable', { extensions }), /"no_such_extension"/);
  assert.deepEqual(await inPostgres(stage, 'shop_bad'), {});
  await remove(stage, 'bad');
});

test('None of this showed a password or a token', async () => {
  await ready(stage, 'last');
  await assertNothingLeaked(stage);
});
