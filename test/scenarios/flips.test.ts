import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { externalSecrets, tenants } from '../world/kubernetes/resources.ts';
import { freezeProcesses } from '../world/servers/freeze.ts';
import { waitFor } from '../world/servers/wait-for.ts';
import { actsIn } from './acts.ts';
import { assertNothingLeaked } from './canaries.ts';
import { conditionOf } from './conditions.ts';
import { interrupting, messagesOf, remainsOf, type Remains, untilGone } from './descents.ts';
import { query, secretOf, sql } from './sql.ts';
import { raise, type Stage } from './stage.ts';
import { lookedAtAgain } from './stillness.ts';
import { apply, change, look, ready, remove, tenant, until, untilCondition } from './tenants.ts';

let stage: Stage;
before(async () => {
  stage = await raise();
});
after(() => stage.close());

const toRetain = (name: string) => change(stage, name, { deletionPolicy: 'Retain' });

/** A Tenant with data in it; gives what its application logs in with. */
async function filled(name: string, deletionPolicy: string): Promise<Record<string, string>> {
  await ready(stage, name, { deletionPolicy });
  const secret = await secretOf(stage, name);
  await query(secret, 'create table public.precious as select 1 as one');
  return secret;
}

const kept: Remains = { child: false, database: 'open', role: true, record: true, row: 'Retained' };

async function assertKept(name: string, secret: Record<string, string>): Promise<void> {
  assert.deepEqual(await remainsOf(stage, name), kept);
  assert.deepEqual(await query(secret, 'select one from public.precious'), [{ one: 1 }]);
  const [row] = await sql(
    stage,
    `select d.datname as name from pgtenancy.tenant t join pg_catalog.pg_database d on d.oid = t.database_oid
      where t.name = '${name}'`,
  );
  assert.deepEqual(row, { name: `shop_${name}` });
}

const undone: readonly (readonly [name: string, after: string, reached: (remains: Remains) => boolean])[] = [
  ['withdrawn', 'the ExternalSecret was withdrawn', ({ child, database }) => !child && database === 'open'],
  ['closed', 'the database was closed', ({ database }) => database === 'closed'],
  ['aside', 'its sessions were ended and it was moved aside', ({ database }) => database === 'aside'],
];

for (const [name, what, reached] of undone) {
  test(`A policy that becomes Retain after ${what} undoes it: the application's data and password are as before`, async () => {
    const secret = await filled(name, 'Delete');
    await interrupting(stage, name, reached, () => toRetain(name));
    await untilGone(stage, name);
    await assertKept(name, secret);
  });
}

interface Late {
  readonly name: string;
  readonly after: string;
  readonly reached: (remains: Remains) => boolean;
  readonly told: RegExp;
  readonly left: Partial<Remains>;
}

const late: readonly Late[] = [
  {
    name: 'dropped',
    after: 'the database was dropped',
    reached: ({ database, role }) => database === 'gone' && role,
    told: /^gone already: database "shop_dropped"$/,
    left: { database: 'gone' },
  },
  {
    name: 'roleless',
    after: 'the role was dropped',
    reached: ({ role, record }) => !role && record,
    told: /^gone already: database "shop_roleless", role "shop_roleless"$/,
    left: { database: 'gone', role: false },
  },
  {
    name: 'recordless',
    after: 'the record was deleted',
    reached: ({ record }) => !record,
    told: /^gone already: database "shop_recordless", role "shop_recordless", the credential in OpenBao$/,
    left: { database: 'gone', role: false, record: false },
  },
];

for (const { name, after: what, reached, told, left } of late) {
  test(`A policy that becomes Retain after ${what} keeps the rest, and says what is gone`, async () => {
    await filled(name, 'Delete');
    await interrupting(stage, name, reached, () => toRetain(name));
    await untilGone(stage, name);
    assert.deepEqual(await remainsOf(stage, name), { ...kept, ...left });
    assert.match(messagesOf(stage, name).at(-1) ?? '', told);
    if (left.role === undefined) {
      const text = `select rolcanlogin from pg_catalog.pg_roles where rolname = 'shop_${name}'`;
      assert.deepEqual(await sql(stage, text), [{ rolcanlogin: true }]);
    }
  });
}

test('A policy that becomes Retain while the operator is dead is found by the next one, which undoes what was begun', async () => {
  const secret = await filled('crashed', 'Delete');
  const aside = ({ database }: Remains): boolean => database === 'aside';
  await interrupting(stage, 'crashed', aside, async () => {
    await stage.world.hook.kill();
    await toRetain('crashed');
    await stage.world.hook.start();
  });
  await untilGone(stage, 'crashed');
  await assertKept('crashed', secret);
});

test('A policy that becomes Retain while the database is being dropped waits for that, and says that it is gone', async () => {
  await filled('dropping', 'Delete');
  const [checkpointer] = await sql<{ pid: number }>(
    stage,
    "select pid from pg_catalog.pg_stat_activity where backend_type = 'checkpointer'",
  );
  assert.ok(checkpointer !== undefined);
  // A drop waits for a checkpoint, and this one does not come.
  const ice = freezeProcesses([checkpointer.pid]);
  try {
    await stage.kube.delete(tenants, 'dropping', 'shop');
    const running =
      "select from pg_catalog.pg_stat_activity where state = 'active' and query ~ '^drop database'";
    await waitFor('the drop to run', async () => (await sql(stage, running)).length > 0, {
      timeoutMs: 90_000,
    });
    await toRetain('dropping');
    const waiting = await until(stage, 'dropping', 'to wait for the drop', (object) => {
      const said = conditionOf(object, 'Ready');
      return said?.reason === 'DatabaseBusy' && !said.message.includes('deletionPolicy');
    });
    assert.match(conditionOf(waiting, 'Ready')?.message ?? '', /^PostgreSQL is running drop database/);
  } finally {
    ice.thaw();
  }
  await untilGone(stage, 'dropping');
  assert.deepEqual(await remainsOf(stage, 'dropping'), { ...kept, database: 'gone' });
  assert.match(messagesOf(stage, 'dropping').at(-1) ?? '', /^gone already: database "shop_dropping"$/);
});

test('A policy that becomes Delete before the deletion is the one that counts', async () => {
  await filled('before', 'Retain');
  await change(stage, 'before', { deletionPolicy: 'Delete' });
  await remove(stage, 'before');
  const nothing = { child: false, database: 'gone', role: false, record: false, row: undefined };
  assert.deepEqual(await remainsOf(stage, 'before'), nothing);
});

const hold = (name: string, finalizers: string[] | null) =>
  stage.kube.patch(externalSecrets, `${name}-postgresql`, 'shop', { metadata: { finalizers } });

/** The deletion of a Tenant with Retain that is marked, and waits for its ExternalSecret. */
async function markedOnly(name: string): Promise<void> {
  const child = await stage.kube.get(externalSecrets, `${name}-postgresql`, 'shop');
  await hold(name, [...(child?.metadata.finalizers ?? []), 'example.com/hold']);
  await stage.kube.delete(tenants, name, 'shop');
  await waitFor('the mark', async () => (await remainsOf(stage, name)).row === 'Retained');
  await untilCondition(stage, name, 'Ready', { status: 'False', reason: 'Deleting' });
}

test('A policy that becomes Delete in the middle of a retention is followed', async () => {
  await filled('after', 'Retain');
  await markedOnly('after');
  await change(stage, 'after', { deletionPolicy: 'Delete' });
  // A call that read the policy before must have ended.
  await lookedAtAgain(stage, 'after');
  await hold('after', null);
  await untilGone(stage, 'after');
  const nothing = { child: false, database: 'gone', role: false, record: false, row: undefined };
  assert.deepEqual(await remainsOf(stage, 'after'), nothing);
});

test('A policy that goes to Delete and back to Retain leaves everything in use', async () => {
  const secret = await filled('fro', 'Retain');
  await markedOnly('fro');
  await change(stage, 'fro', { deletionPolicy: 'Delete' });
  await lookedAtAgain(stage, 'fro');
  const closed = ({ database }: Remains): boolean => database === 'closed';
  await Promise.all([interrupting(stage, 'fro', closed, () => toRetain('fro')), hold('fro', null)]);
  await untilGone(stage, 'fro');
  await assertKept('fro', secret);
});

test('What was let go is not deleted any more, whatever the policy says while another finalizer holds the object', async () => {
  const secret = await filled('letgo', 'Retain');
  const finalizers = (await look(stage, 'letgo'))?.metadata.finalizers ?? [];
  await stage.kube.patch(tenants, 'letgo', 'shop', {
    metadata: { finalizers: [...finalizers, 'example.com/hold'] },
  });
  await stage.kube.delete(tenants, 'letgo', 'shop');
  await until(stage, 'letgo', 'to be let go', ({ metadata }) => metadata.finalizers?.length === 1);
  await change(stage, 'letgo', { deletionPolicy: 'Delete' });
  const held = await untilCondition(stage, 'letgo', 'Ready', { status: 'False', reason: 'DeletionBlocked' });
  assert.match(
    conditionOf(held, 'Ready')?.message ?? '',
    /finalizer .* is not on this object any more: .* put that finalizer back/,
  );
  await stage.kube.patch(tenants, 'letgo', 'shop', { metadata: { finalizers: null } });
  await untilGone(stage, 'letgo');
  await assertKept('letgo', secret);
  assert.ok(!actsIn(stage.world.hook.log(), 'letgo').some(({ step }) => step === 'CloseDatabase'));
});

test('A Tenant that is retained before its database was opened keeps it registered, and open to nobody else', async () => {
  const { faults } = stage.world.metacontroller;
  const created = Promise.withResolvers<undefined>();
  faults.beforeCall = async (hook, parent) => {
    if (parent.metadata.name !== 'young' || hook !== 'sync') return;
    if ((await remainsOf(stage, 'young')).database !== 'closed') return;
    faults.beforeCall = undefined;
    await stage.kube.delete(tenants, 'young', 'shop');
    created.resolve(undefined);
  };
  await apply(stage, tenant('young'));
  await created.promise;
  await untilGone(stage, 'young');
  assert.deepEqual(await remainsOf(stage, 'young'), kept);
  const acl = `select from pg_catalog.pg_database d, pg_catalog.aclexplode(d.datacl) a, pgtenancy.tenant t
    where t.name = 'young' and d.oid = t.database_oid and a.grantee = 0`;
  assert.deepEqual(await sql(stage, acl), []);
});

test('None of this showed a password or a token', () => assertNothingLeaked(stage));
