import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { instances, secrets } from '../world/kubernetes/resources.ts';
import { waitFor } from '../world/servers/wait-for.ts';
import { operatorNamespace } from '../world/names.ts';
import { assertNothingLeaked } from './canaries.ts';
import { conditionOf, tokenIn } from './conditions.ts';
import { instance, untilInstance, untilInstanceReady } from './instances.ts';
import { query, secretOf, sql } from './sql.ts';
import { raise, type Stage } from './stage.ts';
import { resyncs, settled } from './stillness.ts';
import { look, ready, until, untilCondition, untilReady } from './tenants.ts';

let stage: Stage;
let secret: Record<string, string>;
before(async () => {
  stage = await raise();
  await ready(stage, 'app');
  secret = await secretOf(stage, 'app');
  await query(secret, 'create table public.precious as select 1 as one');
});
after(() => stage.close());

const precious = () => query(secret, 'select one from public.precious');

/** `kubectl annotate`, as the message of the Instance says. */
const annotate = (name: string, token: string) =>
  stage.kube.patch(instances, name, undefined, {
    metadata: { annotations: { 'pgtenancy.io/confirm': token } },
  });

test('A renamed database is told with its names, and goes on when it has its own again', async () => {
  const renaming = 'alter database shop_app rename to elsewhere';
  const ending =
    "select pg_catalog.pg_terminate_backend(pid) from pg_catalog.pg_stat_activity where datname in ('shop_app', 'elsewhere')";
  await waitFor('the database to be renamed', () =>
    sql(stage, ending)
      .then(() => sql(stage, renaming))
      .then(
        () => true,
        () => false,
      ),
  );
  const held = await untilCondition(stage, 'app', 'Ready', { status: 'False', reason: 'DatabaseRenamed' });
  assert.equal(conditionOf(held, 'Stalled')?.reason, 'DatabaseRenamed');
  const said = conditionOf(held, 'Ready')?.message ?? '';
  const [, now = '', wanted = ''] = /named "(\w+)".*rename it back to "(\w+)"/.exec(said) ?? [];
  await sql(stage, `alter database ${now} rename to ${wanted}`);
  await untilReady(stage, 'app');
  assert.deepEqual(await precious(), [{ one: 1 }]);
});

test('A server that is not the one that the registry was made for is told, and taken on by the word of a person', async () => {
  // As after a restore from a dump: the registry comes along, the server is another one.
  await sql(stage, "update pgtenancy.meta set system_identifier = '1'");
  const changed = { status: 'False', reason: 'SystemIdentifierChanged' };
  const held = await untilInstance(stage.kube, 'pg-main', changed);
  await untilCondition(stage, 'app', 'Ready', changed);
  await resyncs(stage, ['app'], 2);
  assert.deepEqual(await precious(), [{ one: 1 }]);
  await annotate('pg-main', tokenIn(conditionOf(held, 'Ready') ?? assert.fail()));
  await untilInstanceReady(stage.kube, 'pg-main');
  await untilReady(stage, 'app');
  assert.deepEqual(await precious(), [{ one: 1 }]);
});

test('What was said for one server says nothing for the next', async () => {
  await sql(stage, "update pgtenancy.meta set system_identifier = '2'");
  const changed = { status: 'False', reason: 'SystemIdentifierChanged' };
  const held = await untilInstance(stage.kube, 'pg-main', changed);
  await untilCondition(stage, 'app', 'Ready', changed);
  await resyncs(stage, ['app'], 2);
  await untilInstance(stage.kube, 'pg-main', changed);
  await annotate('pg-main', tokenIn(conditionOf(held, 'Ready') ?? assert.fail()));
  await untilReady(stage, 'app');
});

/** Old sessions are ended, so that the login that is used is the newest. */
const endSessions = (role: string) =>
  sql(
    stage,
    'select pg_catalog.pg_terminate_backend(pid) from pg_catalog.pg_stat_activity where usename = $1',
    {
      values: [role],
    },
  );

const setInServer = (password: string) =>
  sql(stage, `alter role ${stage.world.management.username} password '${password}'`);

const setInSecret = (password: string) =>
  stage.kube.patch(secrets, 'pg-main-management', operatorNamespace, {
    data: { password: Buffer.from(password).toString('base64') },
  });

const orders: readonly (readonly [
  first: string,
  steps: readonly ((password: string) => Promise<unknown>)[],
])[] = [
  ['in PostgreSQL first', [setInServer, setInSecret]],
  ['in the Secret first', [setInSecret, setInServer]],
];

for (const [first, [begin, end]] of orders) {
  test(`A management password that is rotated ${first} is told, and by itself all goes on when the other has it too`, async () => {
    assert.ok(begin !== undefined && end !== undefined);
    const password = `rotated-${first.replaceAll(' ', '-')}`;
    await settled(stage, 'app');
    await begin(password);
    await endSessions(stage.world.management.username);
    await untilInstance(stage.kube, 'pg-main', { status: 'False', reason: 'AuthenticationFailed' });
    // The application goes on, and its Tenant is as it was.
    assert.deepEqual(await precious(), [{ one: 1 }]);
    assert.equal(conditionOf(await look(stage, 'app'), 'Ready')?.status, 'True');
    await end(password);
    await untilInstanceReady(stage.kube, 'pg-main');
    await untilReady(stage, 'app');
    assert.ok(!stage.world.hook.log().includes(password));
  });
}

test('A registry row that is lost twice needs a word each time', async () => {
  await ready(stage, 'twice');
  const forget = async () => {
    // Something else took database and role away, so that the names are free to be claimed.
    await sql(
      stage,
      "alter database shop_twice rename to aside_db; alter role shop_twice rename to aside_role; delete from pgtenancy.tenant where name = 'twice'",
    );
    const held = await until(stage, 'twice', 'to say what to do', (object) => {
      const said = conditionOf(object, 'Ready');
      return said?.reason === 'RegistryLost' && said.message.includes('confirm=');
    });
    return tokenIn(conditionOf(held, 'Ready') ?? assert.fail());
  };
  const [row] = await sql<{ row: string }>(
    stage,
    "select to_jsonb(t)::text as row from pgtenancy.tenant t where name = 'twice'",
  );
  const restore = async () => {
    await sql(
      stage,
      'alter role aside_role rename to shop_twice; alter database aside_db rename to shop_twice',
    );
    await sql(
      stage,
      'insert into pgtenancy.tenant select (jsonb_populate_record(null::pgtenancy.tenant, $1::jsonb)).*',
      { values: [row?.row] },
    );
  };
  const first = await forget();
  await restore();
  await untilReady(stage, 'twice');
  const second = await forget();
  assert.notEqual(second, first);
  await restore();
  await untilReady(stage, 'twice');
});

test('A registry that is lost together with the status of its Instance is missed all the same: its Tenants tell of it', async () => {
  const { adminRole, managementDatabase } = stage.world.management;
  await sql(stage, 'drop schema pgtenancy cascade');
  await stage.kube.delete(instances, 'pg-main');
  await stage.kube
    .patch(instances, 'pg-main', undefined, { metadata: { finalizers: null } })
    .catch(() => undefined);
  await waitFor('it to go', async () => (await stage.kube.get(instances, 'pg-main')) === undefined);
  await stage.kube.create(
    instances,
    instance('pg-main', stage.world.postgres.port, { adminRole, managementDatabase }),
  );
  const held = await waitFor('the Instance to say what to do', async () => {
    const found = conditionOf(await stage.kube.get(instances, 'pg-main'), 'Ready');
    return found?.reason === 'RegistryLost' && found.message.includes('confirm=') ? found : undefined;
  });
  const told = stage.recorder
    .versions(instances)
    .map((object) => conditionOf(object, 'Ready')?.message ?? '')
    .filter((message) => message.includes('Tenants claimed names in it'));
  assert.match(told[0] ?? '', /: shop\/app, shop\/twice; restore it from a backup$/);
  assert.deepEqual(await sql(stage, "select from pg_catalog.pg_namespace where nspname = 'pgtenancy'"), []);
  assert.deepEqual(await precious(), [{ one: 1 }]);
  await annotate('pg-main', tokenIn(held));
  await untilInstanceReady(stage.kube, 'pg-main');
  await untilCondition(stage, 'app', 'Ready', { status: 'False', reason: 'RegistryLost' });
  assert.deepEqual(await precious(), [{ one: 1 }]);
});

test('None of this showed a password or a token', () => assertNothingLeaked(stage));
