import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';

import { describeAsEach, type LiveServer, LiveTenant, startLiveServer } from './live-server.ts';

/** Every step that changes something in PostgreSQL, but for `claim`. */
const steps: Readonly<Record<string, (tenant: LiveTenant) => Promise<void>>> = {
  close: async (tenant) => tenant.steps.close(await tenant.handle()),
  tombstone: async (tenant) => tenant.steps.tombstone(await tenant.handle()),
  dropRole: async (tenant) => tenant.steps.dropRole(await tenant.handle()),
  release: async (tenant) => tenant.steps.release(await tenant.handle()),
  reopenRetained: async (tenant) => tenant.steps.reopenRetained(await tenant.handle()),
  openDatabase: async (tenant) => tenant.steps.openDatabase(await tenant.handle()),
  createDatabase: async (tenant) => tenant.steps.createDatabase(await tenant.handle()),
  repairRole: async (tenant) => tenant.steps.repairRole(await tenant.handle(), { connectionLimit: 1 }),
  setPassword: async (tenant) => tenant.steps.setPassword(await tenant.handle(), tenant.password),
  createRole: async (tenant) => tenant.steps.createRole(await tenant.handle(), tenant.password, 1),
};
const onlyRole = ['repairRole', 'setPassword', 'createRole'];

describeAsEach('a registered OID that means something else', (role) => {
  let live: LiveServer;
  before(async () => {
    live = await startLiveServer({ role });
  });
  after(() => live.close());

  /** A tenant whose row has the OIDs of another one, as after a restore from a dump. */
  const crossed = async (columns: readonly ('role_oid' | 'database_oid')[]) => {
    const victim = new LiveTenant(live);
    const tenant = new LiveTenant(live);
    await victim.open();
    await tenant.open();
    const { row } = await victim.observe();
    // The OIDs are unique: the victim's own row has them no more.
    await live.admin(
      'update pgtenancy.tenant set role_oid = null, database_oid = null where tenant_uid = $1',
      [victim.uid],
    );
    const values = columns.map((name) => (name === 'role_oid' ? row?.roleOid : row?.databaseOid));
    const set = columns.map((name, index) => `${name} = $${index + 2}`).join(', ');
    await live.admin(`update pgtenancy.tenant set ${set} where tenant_uid = $1`, [tenant.uid, ...values]);
    return { victim, tenant };
  };
  /** All that the steps could change, of all roles and databases; the sessions of the victim too. */
  const world = () =>
    live.admin(`
      select jsonb_agg(to_jsonb(d) order by d.oid) as it from pg_database d
       union all select jsonb_agg(to_jsonb(a) order by a.oid) from pg_authid a
       union all select jsonb_agg(to_jsonb(t) order by t.tenant_uid) from pgtenancy.tenant t`);

  for (const [name, step] of Object.entries(steps)) {
    it(`is a Conflict for ${name} when it is another role's, and nothing is changed`, async () => {
      const { victim, tenant } = await crossed(['role_oid']);
      const session = await victim.connect();
      const before = await world();
      await assert.rejects(step(tenant), { reason: 'Conflict' });
      assert.deepEqual(await world(), before);
      await session.query('select');
      await session.end();
    });

    if (onlyRole.includes(name)) continue;
    it(`is DatabaseRenamed for ${name} when it is another database's, and nothing is changed`, async () => {
      const { victim, tenant } = await crossed(['database_oid']);
      const session = await victim.connect();
      const before = await world();
      await assert.rejects(step(tenant), { reason: 'DatabaseRenamed' });
      assert.deepEqual(await world(), before);
      await session.query('select');
      await session.end();
    });
  }

  it('does not let a database be dropped that is under the tombstone name but belongs to another role', async () => {
    const tenant = new LiveTenant(live);
    await tenant.open();
    await tenant.steps.close(await tenant.handle());
    await tenant.steps.tombstone(await tenant.handle());
    const name = `pto_drop_${tenant.uid.replaceAll('-', '_')}`;
    await live.admin(`alter database ${name} owner to postgres`);
    await assert.rejects(async () => tenant.steps.dropDatabase(await tenant.handle()), {
      reason: 'Conflict',
      message: `database "${name}" belongs to "postgres", not to "${tenant.roleName}"`,
    });
    assert.equal((await tenant.observe()).database.tombstone?.name, name);
  });

  it('does not let a database be taken down that belongs to another role, unless ours is gone', async () => {
    const tenant = new LiveTenant(live);
    await tenant.open();
    await live.admin(`alter database ${tenant.databaseName} owner to postgres`);
    const before = await world();
    for (const name of ['close', 'tombstone']) {
      await assert.rejects(steps[name]!(tenant), { reason: 'Conflict' });
    }
    assert.deepEqual(await world(), before);
    await live.admin(`drop role ${tenant.roleName}`);
    await live.admin(`alter database ${tenant.databaseName} owner to ${live.manager}`);
    await tenant.remove();
    const { row, database } = await tenant.observe();
    assert.equal(row, null);
    assert.equal(database.named, null);
  });
});

describeAsEach("another server that is taken as the registry's own", (role) => {
  let live: LiveServer;
  before(async () => {
    live = await startLiveServer({ role });
  });
  after(() => live.close());

  const forgotten = { roleOid: null, databaseOid: null };
  const accept = async () => {
    await live.admin(`update pgtenancy.meta set system_identifier = '1'`);
    await live.server.registry.acceptServer('1');
  };
  const oids = async (tenant: LiveTenant) => {
    const { row } = await tenant.observe();
    return { roleOid: row?.roleOid, databaseOid: row?.databaseOid };
  };
  const opened = async () => {
    const tenant = new LiveTenant(live);
    await tenant.open();
    return tenant;
  };

  it('keeps the OIDs that fit, also of a database that is about to be dropped', async () => {
    const tenant = await opened();
    const buried = await opened();
    await buried.steps.close(await buried.handle());
    await buried.steps.tombstone(await buried.handle());
    const before = [await oids(tenant), await oids(buried)];
    await accept();
    assert.deepEqual([await oids(tenant), await oids(buried)], before);
    await buried.steps.dropDatabase(await buried.handle());
  });

  it('makes the rows forget the OIDs of roles and databases that are not theirs', async () => {
    const [renamed, moved, owned, gone] = [await opened(), await opened(), await opened(), await opened()];
    await live.admin(`alter role ${renamed.roleName} rename to somebody`);
    await live.admin(`alter database ${moved.databaseName} rename to elsewhere`);
    await live.admin(`alter database ${owned.databaseName} owner to postgres`);
    await live.admin(`drop database ${gone.databaseName}`);
    await live.admin(`drop role ${gone.roleName}`);
    const before = { moved: await oids(moved), owned: await oids(owned) };
    await accept();
    assert.deepEqual(await oids(renamed), forgotten);
    assert.deepEqual(await oids(moved), { ...before.moved, databaseOid: null });
    assert.deepEqual(await oids(owned), { ...before.owned, databaseOid: null });
    assert.deepEqual(await oids(gone), forgotten);
  });

  it('forgets nothing when the word is given twice, or for another server', async () => {
    const tenant = await opened();
    await live.admin(`alter role ${tenant.roleName} rename to for_a_moment`);
    const before = await oids(tenant);
    const { systemIdentifier } = await tenant.observe();
    await live.server.registry.acceptServer(systemIdentifier ?? '');
    await live.admin(`update pgtenancy.meta set system_identifier = '2'`);
    await assert.rejects(live.server.registry.acceptServer('1'), { reason: 'StaleDecision' });
    assert.deepEqual(await oids(tenant), before);
  });
});
