import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { externalSecrets, secrets } from '../world/kubernetes/resources.ts';
import { waitFor } from '../world/servers/wait-for.ts';
import { actsIn } from './acts.ts';
import { assertNothingLeaked } from './canaries.ts';
import { asTenant, inPostgres, query, secretOf, sql } from './sql.ts';
import { raise, type Stage } from './stage.ts';
import { recordsIn, settled } from './stillness.ts';
import { look, ready, untilReady } from './tenants.ts';

/** What a hand did behind the operator's back, and what shows that it is as before. */
interface Damage {
  readonly title: string;
  readonly name: string;
  readonly harm: (stage: Stage) => Promise<unknown>;
  readonly healed: (stage: Stage) => Promise<boolean>;
  /** The steps that it takes, and no others. */
  readonly steps: readonly string[];
}

const flag = async (stage: Stage, text: string): Promise<boolean> => {
  const [row] = await sql<{ ok: boolean }>(stage, `select ${text} as ok`);
  return row?.ok === true;
};

const role = (name: string, test: string): string =>
  `(select ${test} from pg_catalog.pg_roles where rolname = 'shop_${name}')`;

const logsIn = (stage: Stage, name: string): Promise<boolean> =>
  asTenant(stage, name, 'select 1').then(
    () => true,
    () => false,
  );

const specOfChild = async (stage: Stage, name: string): Promise<Record<string, unknown>> =>
  (await stage.kube.get(externalSecrets, `${name}-postgresql`, 'shop'))?.spec ?? {};

const damages: readonly Damage[] = [
  {
    title: 'A changed password of the role',
    name: 'password',
    harm: (stage) => sql(stage, "alter role shop_password password 'changed'"),
    healed: (stage) => logsIn(stage, 'password'),
    steps: ['SetPassword'],
  },
  {
    title: 'A role that may not log in',
    name: 'login',
    harm: (stage) => sql(stage, 'alter role shop_login nologin'),
    healed: (stage) => logsIn(stage, 'login'),
    steps: ['RepairRole'],
  },
  {
    title: 'Attributes of the role that give it too much, a limit and an end',
    name: 'attributes',
    harm: (stage) =>
      sql(
        stage,
        "alter role shop_attributes createdb createrole connection limit 3 valid until '2001-01-01'",
      ),
    healed: (stage) =>
      flag(
        stage,
        role(
          'attributes',
          "not rolcreatedb and not rolcreaterole and rolconnlimit = -1 and (rolvaliduntil is null or rolvaliduntil = 'infinity')",
        ),
      ),
    steps: ['RepairRole'],
  },
  {
    title: 'A database that PUBLIC may connect to',
    name: 'public',
    harm: (stage) => sql(stage, 'grant connect, temporary on database shop_public to public'),
    healed: (stage) =>
      flag(
        stage,
        "not exists (select from pg_catalog.pg_database, pg_catalog.aclexplode(datacl) as acl where datname = 'shop_public' and acl.grantee = 0)",
      ),
    steps: ['OpenDatabase'],
  },
  {
    title: 'A database that refuses connections',
    name: 'closed',
    harm: (stage) => sql(stage, 'alter database shop_closed allow_connections false'),
    healed: (stage) => logsIn(stage, 'closed'),
    steps: ['OpenDatabase'],
  },
  {
    title: 'A database with another owner',
    name: 'owner',
    harm: (stage) => sql(stage, 'alter database shop_owner owner to pgtenancy_admin'),
    healed: (stage) =>
      flag(
        stage,
        "(select datdba::regrole::text = 'shop_owner' from pg_catalog.pg_database where datname = 'shop_owner')",
      ),
    steps: ['OpenDatabase'],
  },
  {
    title: 'A dropped extension',
    name: 'extension',
    harm: (stage) => asTenant(stage, 'extension', 'drop extension citext'),
    healed: async (stage) =>
      (await asTenant(stage, 'extension', "select from pg_catalog.pg_extension where extname = 'citext'"))
        .length === 1,
    steps: ['InstallExtension'],
  },
  {
    title: 'An edited ExternalSecret',
    name: 'edited',
    harm: (stage) =>
      stage.kube.patch(externalSecrets, 'edited-postgresql', 'shop', { spec: { refreshInterval: '5m' } }),
    healed: async (stage) => (await specOfChild(stage, 'edited'))['refreshInterval'] === '1h0m0s',
    steps: [],
  },
  {
    title: 'A deleted ExternalSecret',
    name: 'deleted',
    harm: async (stage) => {
      const before = await stage.kube.get(externalSecrets, 'deleted-postgresql', 'shop');
      await stage.kube.delete(externalSecrets, 'deleted-postgresql', 'shop');
      await waitFor('another ExternalSecret', async () => {
        const now = await stage.kube.get(externalSecrets, 'deleted-postgresql', 'shop');
        return now !== undefined && now.metadata.uid !== before?.metadata.uid;
      });
    },
    healed: (stage) => logsIn(stage, 'deleted'),
    steps: [],
  },
  {
    title: 'A deleted Secret',
    name: 'secret',
    harm: (stage) => stage.kube.delete(secrets, 'secret-postgresql', 'shop'),
    healed: (stage) => logsIn(stage, 'secret'),
    steps: [],
  },
];

let stage: Stage;
before(async () => {
  stage = await raise();
  const extensions = [{ name: 'citext' }];
  const names = ['bystander', ...damages.map(({ name }) => name)];
  await Promise.all(names.map((name) => ready(stage, name, name === 'extension' ? { extensions } : {})));
  await settled(stage, ...names);
});
after(() => stage.close());

test(
  'What was changed by hand is put right by the steps that it takes',
  { concurrency: true },
  async (all) => {
    const bystander = await look(stage, 'bystander');
    const acts = actsIn(stage.world.hook.log(), 'bystander');
    await Promise.all(
      damages.map((damage) =>
        all.test(`${damage.title} is put right, and nothing else moves`, () => isPutRight(damage)),
      ),
    );
    assert.deepEqual(await look(stage, 'bystander'), bystander);
    assert.deepEqual(actsIn(stage.world.hook.log(), 'bystander'), acts);
  },
);

test('None of this showed a password or a token', () => assertNothingLeaked(stage));

async function isPutRight({ title, name, harm, healed, steps }: Damage): Promise<void> {
  const before = await possessions(name);
  const done = actsIn(stage.world.hook.log(), name).length;
  await harm(stage);
  await waitFor(`${title} to be put right`, () => healed(stage), { timeoutMs: 90_000, everyMs: 100 });
  await untilReady(stage, name);
  await settled(stage, name);
  const acts = actsIn(stage.world.hook.log(), name).slice(done);
  assert.deepEqual(
    acts.map(({ step, outcome }) => [step, outcome]),
    steps.map((step) => [step, 'ok']),
  );
  assert.deepEqual(await possessions(name), before);
  assert.deepEqual(await query(await secretOf(stage, name), 'select 1 as one'), [{ one: 1 }]);
}

/** What a repair must not touch: OIDs, the record with its versions, the password. */
async function possessions(name: string): Promise<unknown> {
  const records = Object.entries(await recordsIn(stage));
  return {
    postgres: await inPostgres(stage, `shop_${name}`),
    records: records.filter(([path]) => path.startsWith(`demo/shop/${name}/`)),
    password: (await secretOf(stage, name))['password'],
  };
}
