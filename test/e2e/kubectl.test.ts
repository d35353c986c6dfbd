import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';

import { firstMinute, readSecret } from '../demo/use-credential.ts';
import { waitFor } from '../world/servers/wait-for.ts';
import { installation } from '../world/names.ts';
import { startWorld, type World } from '../world/world.ts';
import { type Kubectl, kubectlWith, type Row } from './kubectl.ts';

/* An administrator and an application team with kubectl and the files of examples/, and nothing else. */

let world: World;
let kubectl: Kubectl;
before(async () => {
  world = await startWorld({
    env: { CHECK_INTERVAL_SECONDS_MIN: '1', CHECK_INTERVAL_SECONDS_MAX: '2', RESYNC_SECONDS: '1' },
  });
  kubectl = kubectlWith(world.kubeconfig);
});
after(() => world.close());

const platform = async (): Promise<string> => {
  const text = await readFile(new URL('../../examples/quickstart/platform.yaml', import.meta.url), 'utf8');
  return text.replace('port: 5432', `port: ${world.postgres.port}`);
};
const team = 'examples/quickstart/team.yaml';

/** What is not the same in every run. */
const withoutAge = (rows: readonly Row[]): Row[] =>
  rows.map((row) => {
    assert.match(row['AGE'] ?? '', /^\d+[smh]/);
    return { ...row, AGE: '' };
  });

test('The files of the quickstart are applied, and kubectl waits until they are Ready', async () => {
  assert.equal(
    await kubectl.ok('apply -f -', { input: await platform() }),
    'externalsecret.external-secrets.io/pg-main-management created\npostgresqlinstance.pgtenancy.io/pg-main created\n',
  );
  await kubectl.ok('wait --for=condition=Ready pgi/pg-main --timeout=60s');
  assert.equal(await kubectl.ok(`apply -f ${team}`), 'postgresqltenant.pgtenancy.io/orders created\n');
  assert.equal(
    await kubectl.ok('wait --for=condition=Ready pgt/orders -n shop --timeout=60s'),
    'postgresqltenant.pgtenancy.io/orders condition met\n',
  );
  const used = await firstMinute(await readSecret(world.kube, 'shop', 'orders-postgresql'));
  assert.ok(used.length > 0);
});

test('kubectl get says how far each is, why it is not Ready, and which Secret to use', async () => {
  await kubectl.ok('apply -f -', {
    input: `{apiVersion: pgtenancy.io/v1alpha1, kind: PostgreSQLTenant, metadata: {name: lost, namespace: shop}, spec: {instanceRef: {name: nowhere}}}`,
  });
  await kubectl.ok(
    `wait --for=jsonpath={.status.conditions[?(@.type=="Ready")].status}=False pgt/lost -n shop --timeout=30s`,
  );
  const fixed = { AGE: '', READY: 'True', REASON: 'Reached', PHASE: 'Ready' };
  assert.deepEqual(withoutAge(await kubectl.table('get pgi')), [
    {
      ...fixed,
      NAME: 'pg-main',
      VERSION: await kubectl.ok('get pgi pg-main -o jsonpath={.status.serverVersion}'),
      HOST: 'pg-main.example.internal',
    },
  ]);
  const orders = { ...fixed, NAME: 'orders', INSTANCE: 'pg-main', SECRET: 'orders-postgresql' };
  const lost = {
    AGE: '',
    NAME: 'lost',
    PHASE: 'Planned',
    READY: 'False',
    REASON: 'InstanceNotFound',
    INSTANCE: 'nowhere',
    SECRET: '',
  };
  assert.deepEqual(withoutAge(await kubectl.table('get pgt -n shop')), [lost, orders]);
  const [wideLost, wideOrders] = withoutAge(await kubectl.table('get pgt -n shop -o wide'));
  assert.deepEqual(wideOrders, { ...orders, DATABASE: 'shop_orders', MESSAGE: '' });
  assert.match(
    wideLost?.['MESSAGE'] ?? '',
    /^PostgreSQLInstance "nowhere" does not exist; if spec\.instanceRef is right, ask /,
  );
});

test('The category lists both kinds of all namespaces', async () => {
  const names = (output: string): string[] => output.trim().split('\n').sort();
  const ours = [
    'postgresqlinstance.pgtenancy.io/pg-main',
    'postgresqltenant.pgtenancy.io/lost',
    'postgresqltenant.pgtenancy.io/orders',
  ];
  for (const command of ['get pgtenancy -A -o name', 'get pgi,pgt -A -o name'])
    assert.deepEqual(names(await kubectl.ok(command)), ours);
});

test('kubectl describe has every condition with what to do, and no password', async () => {
  const password = (await readSecret(world.kube, 'shop', 'orders-postgresql'))['password'] ?? '';
  assert.ok(password.length > 10);
  const described = await kubectl.ok('describe pgt,pgi -n shop');
  for (const text of [
    'PostgreSQLInstance "nowhere" does not exist',
    'Type:                  CredentialProjected',
    'URL:          https://openbao.example.internal:8200/v1/',
  ])
    assert.ok(described.includes(text), `${text} is not in:\n${described}`);
  for (const secret of [password, world.management.password, world.openBao.rootToken])
    assert.ok(!described.includes(secret));
});

test('Applied again, nothing changes and there is nothing to be seen by kubectl diff', async () => {
  const version = 'get pgt orders -n shop -o jsonpath={.metadata.resourceVersion}';
  const before = await kubectl.ok(version);
  assert.equal(await kubectl.ok(`apply -f ${team}`), 'postgresqltenant.pgtenancy.io/orders unchanged\n');
  assert.match(await kubectl.ok('apply -f -', { input: await platform() }), /pg-main unchanged$/m);
  assert.equal(await kubectl.ok(`diff -f ${team}`), '');
  assert.equal(await kubectl.ok('diff -f -', { input: await platform() }), '');
  assert.equal(await kubectl.ok(version), before);
});

test('A GitOps tool that applies on the server side owns its fields and finds nothing to do afterwards', async () => {
  const input = JSON.stringify({
    ...{ apiVersion: 'pgtenancy.io/v1alpha1', kind: 'PostgreSQLTenant' },
    metadata: { name: 'synced', namespace: 'shop', labels: { team: 'shop' } },
    spec: { instanceRef: { name: 'pg-main' }, connectionLimit: 7 },
  });
  const apply = () => kubectl.ok('apply --server-side --field-manager=gitops -f -', { input });
  await apply();
  await kubectl.ok('wait --for=condition=Ready pgt/synced -n shop --timeout=60s');
  const version = 'get pgt synced -n shop -o jsonpath={.metadata.resourceVersion}';
  const settled = await kubectl.ok(version);
  await apply();
  assert.equal(await kubectl.ok('diff --server-side --field-manager=gitops -f -', { input }), '');
  assert.equal(await kubectl.ok(version), settled);
  const managers = await kubectl.ok('get pgt synced -n shop -o json --show-managed-fields');
  const { metadata } = JSON.parse(managers) as { metadata: { managedFields: ManagedFields[] } };
  const ownersOf = (field: string): string[] =>
    metadata.managedFields.filter(({ fieldsV1 }) => field in fieldsV1).map(({ manager }) => manager);
  assert.deepEqual(ownersOf('f:spec'), ['gitops']);
  assert.ok(!ownersOf('f:status').includes('gitops'));
  // Somebody else who wants another value is told whose it is.
  const other = input.replace('"connectionLimit":7', '"connectionLimit":9');
  assert.match(
    await kubectl.refused('apply --server-side --field-manager=person -f -', { input: other }),
    /conflict with "gitops": \.spec\.connectionLimit/,
  );
});

test('What a message asks for is done with kubectl annotate', async () => {
  const uid = await kubectl.ok('get pgt synced -n shop -o jsonpath={.metadata.uid}');
  await world.kv.deleteMetadata(`${installation}/shop/synced/${uid}`);
  const ready = '.status.conditions[?(@.type=="Ready")]';
  await kubectl.ok(`wait --for=jsonpath={${ready}.reason}=CredentialLost pgt/synced -n shop --timeout=60s`);
  const message = await kubectl.ok(`get pgt synced -n shop -o jsonpath={${ready}.message}`);
  const [, annotation = ''] = /annotate this object with (\S+)$/.exec(message) ?? [];
  await kubectl.ok(`annotate pgt synced -n shop ${annotation}`);
  await kubectl.ok('wait --for=condition=Ready pgt/synced -n shop --timeout=60s');
  assert.deepEqual(
    (await firstMinute(await readSecret(world.kube, 'shop', 'synced-postgresql'))).length > 0,
    true,
  );
});

test('While the operator does not answer, kubectl events and describe say so at the Tenant', async () => {
  await world.hook.kill();
  try {
    await kubectl.ok('patch pgt orders -n shop --type=merge -p \'{"spec":{"connectionLimit":5}}\'');
    await waitFor(
      'an event at the Tenant',
      async () => /Warning +SyncError/.test(await kubectl.ok('events -n shop --for=pgt/orders')),
      { timeoutMs: 30_000, everyMs: 200 },
    );
    assert.match(await kubectl.ok('describe pgt orders -n shop'), /Warning +SyncError/);
  } finally {
    await world.hook.start();
  }
  await kubectl.ok('wait --for=jsonpath={.status.observedGeneration}=2 pgt/orders -n shop --timeout=60s');
  await kubectl.ok('wait --for=condition=Ready pgt/orders -n shop --timeout=60s');
});

interface ManagedFields {
  readonly manager: string;
  readonly fieldsV1: Readonly<Record<string, unknown>>;
}
