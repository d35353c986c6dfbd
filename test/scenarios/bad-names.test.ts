import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import type { KubeObject } from '../world/kubernetes/client.ts';
import { crds, instances } from '../world/kubernetes/resources.ts';
import { waitFor } from '../world/servers/wait-for.ts';
import { assertNothingLeaked } from './canaries.ts';
import { heldUp, heldUpOne, type Messages } from './held-up.ts';
import { instance, untilInstanceReady } from './instances.ts';
import { inPostgres, sql } from './sql.ts';
import { raise, type Stage } from './stage.ts';
import { apply, change, ready, remove, tenant, untilCondition, untilReady } from './tenants.ts';

let stage: Stage;
before(async () => {
  stage = await raise();
  await allowAnything(stage);
});
after(() => stage.close());

/** As where the CRD is an older one, or where somebody has taken the rules out of it. */
async function allowAnything({ kube }: Stage): Promise<void> {
  const crd = await kube.get(crds, 'postgresqltenants.pgtenancy.io');
  assert.ok(crd !== undefined);
  await kube.update(crds, withoutRules(crd) as KubeObject);
}

const rules = ['pattern', 'minLength', 'maxLength', 'x-kubernetes-validations'];

function withoutRules(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutRules);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([key]) => !rules.includes(key));
  return Object.fromEntries(kept.map(([key, part]) => [key, withoutRules(part)]));
}

const another = 'names are immutable, so delete this Tenant and create one with another name';

// prettier-ignore
const cases: readonly { name: string; spec: Record<string, string>; reason: string; message: RegExp }[] = [
  { name: 'long', spec: { databaseName: 'd'.repeat(64) }, reason: 'NameInvalid', message: /^spec\.databaseName must .* at most 63 bytes/ },
  { name: 'longrole', spec: { roleName: 'r'.repeat(64) }, reason: 'NameInvalid', message: /^spec\.roleName must .* at most 63 bytes/ },
  { name: 'bytes', spec: { databaseName: 'ü'.repeat(40) }, reason: 'NameInvalid', message: /^spec\.databaseName must match/ },
  { name: 'capital', spec: { databaseName: 'Shop' }, reason: 'NameInvalid', message: /^spec\.databaseName must match/ },
  { name: 'quotes', spec: { databaseName: 'a"; drop database postgres; --' }, reason: 'NameInvalid', message: /^spec\.databaseName must match/ },
  { name: 'zero', spec: { roleName: 'a\0b' }, reason: 'NameInvalid', message: /^spec\.roleName must match/ },
  { name: 'superuser', spec: { roleName: 'postgres' }, reason: 'NameReserved', message: /^roleName "postgres" is reserved by/ },
  { name: 'system', spec: { databaseName: 'pg_catalog' }, reason: 'NameReserved', message: /^databaseName "pg_catalog" is reserved by/ },
  { name: 'tombstone', spec: { databaseName: 'pto_drop_x' }, reason: 'NameReserved', message: /^databaseName "pto_drop_x" is reserved by/ },
];
const names = cases.map(({ name }) => name);
let messages: Messages = {};

test('Names that PostgreSQL cannot take, where no rule of the API server stopped them, make nothing', async () => {
  messages = await heldUp(stage, cases);
});

for (const { name, spec, message } of cases) {
  test(`${JSON.stringify(spec).slice(0, 40)}: the message says what is wrong and what to do`, () => {
    assert.match(messages[name] ?? '', message);
    assert.ok(messages[name]?.endsWith(another), messages[name]);
  });
}

test('Each of them goes on once its name is put right', async () => {
  const right = { databaseName: null, roleName: null, deletionPolicy: 'Delete' };
  // Without the rules a name can even be changed.
  await Promise.all(names.map((name) => change(stage, name, right)));
  await Promise.all(names.map((name) => untilReady(stage, name)));
  await Promise.all(names.map((name) => remove(stage, name)));
  for (const name of names) assert.deepEqual(await inPostgres(stage, `shop_${name}`), {});
});

test('A Tenant with a name that cannot be used can be deleted at once, with either policy', async () => {
  for (const deletionPolicy of ['Delete', 'Retain']) {
    const spec = { databaseName: 'x'.repeat(200), deletionPolicy };
    await heldUpOne(stage, { name: 'hopeless', spec, reason: 'NameInvalid' });
    await remove(stage, 'hopeless');
  }
});

test('A Tenant whose own name leaves no room for the ExternalSecret is refused before anything is made', async () => {
  const name = 'a'.repeat(201);
  const said = await heldUpOne(stage, { name, spec: {}, reason: 'NameInvalid' });
  assert.match(said, /^metadata\.name may have at most 200 characters.*create one with a shorter name$/);
  await remove(stage, name);
});

test('With the longest name that there may be a Tenant gets its ExternalSecret, and one that External Secrets can write is Ready', async () => {
  const longest = 'b'.repeat(200);
  await apply(stage, tenant(longest, { deletionPolicy: 'Delete' }));
  await untilCondition(stage, longest, 'ExternalSecretCreated', { status: 'True' });
  // The real External Secrets here, v0.16.2, writes as a field manager named after the ExternalSecret: at most 128 bytes.
  const projected = stage.world.kubeconfig === undefined ? longest : 'c'.repeat(81);
  await ready(stage, projected, { deletionPolicy: 'Delete' });
  await Promise.all([...new Set([longest, projected])].map((name) => remove(stage, name)));
});

test('The management database of an Instance is not for its Tenants', async () => {
  await sql(stage, 'create database management owner pgtenancy_admin');
  const { port } = stage.world.postgres;
  await apply(stage, instance('pg-dedicated', port, { managementDatabase: 'management' }));
  await untilInstanceReady(stage.kube, 'pg-dedicated');
  const spec = { instanceRef: { name: 'pg-dedicated' }, databaseName: 'management' };
  const said = await heldUpOne(stage, { name: 'greedy', spec, reason: 'NameReserved' });
  assert.match(said, /^databaseName "management" is reserved .* for the management of the server/);
  await remove(stage, 'greedy');
  await stage.kube.delete(instances, 'pg-dedicated');
});

test('A name that is taken is a Conflict that names the holder, and goes on once it is free', async () => {
  await ready(stage, 'first', { databaseName: 'wanted', deletionPolicy: 'Delete' });
  const spec = { databaseName: 'wanted', deletionPolicy: 'Delete' };
  const said = await heldUpOne(stage, { name: 'second', spec, reason: 'Conflict' });
  assert.match(said, /^database "wanted" belongs to Tenant shop\/first \(UID .*\) of installation "demo"; /);
  assert.match(said, /create one with another name, or ask the database administrator to free this one$/);
  await remove(stage, 'first');
  await untilReady(stage, 'second');
});

test('Two Instances that are the same server share one registry: a name that is taken on one is on both', async () => {
  await apply(stage, instance('pg-again', stage.world.postgres.port));
  await untilInstanceReady(stage.kube, 'pg-again');
  const again = { instanceRef: { name: 'pg-again' }, deletionPolicy: 'Delete' };
  const spec = { ...again, databaseName: 'wanted' };
  const said = await heldUpOne(stage, { name: 'third', spec, reason: 'Conflict' });
  assert.match(said, /^database "wanted" belongs to Tenant shop\/second/);
  await remove(stage, 'third');
  await ready(stage, 'fourth', again);
});

test('An Instance that is being deleted takes no new Tenant; where there is one of that name again, it goes on', async () => {
  const again = { instanceRef: { name: 'pg-again' }, deletionPolicy: 'Delete' };
  await stage.kube.delete(instances, 'pg-again');
  const said = await heldUpOne(stage, { name: 'fifth', spec: again, reason: 'InstanceTerminating' });
  assert.match(
    said,
    /"pg-again" is being deleted and takes no new Tenant; delete this one and create another/,
  );
  await untilReady(stage, 'fourth');
  // Only its own Tenants hold it up, not those of the other Instance on that server.
  await remove(stage, 'fourth');
  const isGone = async () => (await stage.kube.get(instances, 'pg-again')) === undefined;
  await waitFor('the Instance to go', isGone, { timeoutMs: 90_000 });
  await untilCondition(stage, 'fifth', 'Ready', { status: 'False', reason: 'InstanceNotFound' });
  await apply(stage, instance('pg-again', stage.world.postgres.port));
  await untilReady(stage, 'fifth');
});

test('None of this showed a password or a token', () => assertNothingLeaked(stage));
