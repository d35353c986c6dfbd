import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { asApplication, readSecret } from '../demo/use-credential.ts';
import { remainsOf, type Remains } from '../scenarios/descents.ts';
import { raise, type Stage } from '../scenarios/stage.ts';
import { ready } from '../scenarios/tenants.ts';
import { externalSecrets, secrets } from '../world/kubernetes/resources.ts';
import { waitFor } from '../world/servers/wait-for.ts';
import { type Kubectl, kubectlWith } from './kubectl.ts';

let stage: Stage;
let kubectl: Kubectl;
before(async () => {
  stage = await raise();
  kubectl = kubectlWith(stage.world.kubeconfig);
});
after(() => stage.close());

const retained: Remains = { child: false, database: 'open', role: true, record: true, row: 'Retained' };
const nothing: Remains = { child: false, database: 'gone', role: false, record: false, row: undefined };

/** The Secret follows its ExternalSecret by garbage collection, a moment later. */
const withoutSecret = (name: string, namespace: string): Promise<true> =>
  waitFor(`the Secret of ${namespace}/${name} to go`, async () => {
    const found = [externalSecrets, secrets].map((kind) =>
      stage.kube.get(kind, `${name}-postgresql`, namespace),
    );
    return (await Promise.all(found)).every((object) => object === undefined);
  });

const readyOf = 'get pgt -n shop -o jsonpath={.items[0].status.conditions[?(@.type=="Ready")].message}';

test('kubectl delete waits until it is done: Retain keeps the database, Delete removes everything', async () => {
  await ready(stage, 'kept');
  await ready(stage, 'dropped', { deletionPolicy: 'Delete' });
  assert.equal(
    await kubectl.ok('delete pgt kept dropped -n shop --timeout=60s'),
    'postgresqltenant.pgtenancy.io "kept" deleted from shop namespace\npostgresqltenant.pgtenancy.io "dropped" deleted from shop namespace\n',
  );
  assert.deepEqual(await remainsOf(stage, 'kept'), retained);
  assert.deepEqual(await remainsOf(stage, 'dropped'), nothing);
  await withoutSecret('kept', 'shop');
  await withoutSecret('dropped', 'shop');
});

test('A namespace goes together with its Tenants, each after its own policy', async () => {
  await kubectl.ok('create namespace team');
  await ready(stage, 'team/kept');
  await ready(stage, 'team/dropped', { deletionPolicy: 'Delete' });
  await kubectl.ok('delete namespace team --timeout=90s');
  assert.match(await kubectl.refused('get namespace team'), /not found/);
  assert.deepEqual(await remainsOf(stage, 'team/kept'), retained);
  assert.deepEqual(await remainsOf(stage, 'team/dropped'), nothing);
});

test('Deletion in the foreground leaves no more than one in the background', async () => {
  await ready(stage, 'front', { deletionPolicy: 'Delete' });
  await kubectl.ok('delete pgt front -n shop --cascade=foreground --timeout=60s');
  assert.deepEqual(await remainsOf(stage, 'front'), nothing);
  await withoutSecret('front', 'shop');
});

test('Orphaned under Retain, the Secret stays and goes on working', async () => {
  await ready(stage, 'left');
  const secret = await readSecret(stage.kube, 'shop', 'left-postgresql');
  await kubectl.ok('delete pgt left -n shop --cascade=orphan --timeout=60s');
  assert.deepEqual(await readSecret(stage.kube, 'shop', 'left-postgresql'), secret);
  const { rows } = await asApplication(secret, (client) => client.query('select 1 as one'));
  assert.deepEqual(rows, [{ one: 1 }]);
  await kubectl.ok('delete externalsecret left-postgresql -n shop');
});

test('Orphaned under Delete, the Tenant says by which command it goes, and does once that was run', async () => {
  await ready(stage, 'orphan', { deletionPolicy: 'Delete' });
  await kubectl.ok('delete pgt orphan -n shop --cascade=orphan --wait=false');
  await kubectl.untilTable(
    'get pgt -n shop -o custom-columns=NAME:.metadata.name,REASON:.status.conditions[?(@.type=="Ready")].reason',
    [{ NAME: 'orphan', REASON: 'ExternalSecretOrphaned' }],
  );
  const [, command = ''] = /: kubectl (delete externalsecret [^.]+)\. /.exec(await kubectl.ok(readyOf)) ?? [];
  await kubectl.ok(command);
  await kubectl.ok('wait --for=delete pgt/orphan -n shop --timeout=60s');
  assert.deepEqual(await remainsOf(stage, 'orphan'), nothing);
});

test('An Instance with Tenants is marked for deletion, says how many and which, and goes after the last', async () => {
  await ready(stage, 'one', { deletionPolicy: 'Delete' });
  await ready(stage, 'two', { deletionPolicy: 'Delete' });
  await kubectl.ok('delete pgi pg-main --wait=false');
  const shown =
    'get pgi -o custom-columns=NAME:.metadata.name,READY:.status.conditions[?(@.type=="Ready")].status,REASON:.status.conditions[?(@.type=="Ready")].reason';
  await kubectl.untilTable(shown, [{ NAME: 'pg-main', READY: 'False', REASON: 'TenantsExist' }]);
  const [row] = await kubectl.table('get pgi');
  assert.deepEqual([row?.['READY'], row?.['REASON']], ['False', 'TenantsExist']);
  assert.match(
    await kubectl.ok('describe pgi pg-main'),
    /Message: +2 Tenants live on this Instance: shop\/one, shop\/two; delete them first/,
  );
  await kubectl.ok('delete pgt one -n shop --timeout=60s');
  await waitFor('the Instance to tell of one', async () =>
    (await kubectl.ok('describe pgi pg-main')).includes('1 Tenant lives on this Instance: shop/two;'),
  );
  // It goes on serving the one that is left.
  const secret = await readSecret(stage.kube, 'shop', 'two-postgresql');
  const { rows } = await asApplication(secret, (client) => client.query('select 1 as one'));
  assert.deepEqual(rows, [{ one: 1 }]);
  await kubectl.ok('delete pgt two -n shop --timeout=60s');
  await kubectl.ok('wait --for=delete pgi/pg-main --timeout=60s');
});
