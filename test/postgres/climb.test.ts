import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';

import { describeAsEach, type LiveServer, LiveTenant, startLiveServer } from './live-server.ts';

describeAsEach('a tenant on its way up and down', (role) => {
  let live: LiveServer;
  before(async () => {
    live = await startLiveServer({ role, settings: { log_statement: 'all' } });
  });
  after(() => live.close());

  it('is nothing before its claim, and its names are only wishes', async () => {
    const tenant = new LiveTenant(live);
    const seen = await tenant.observe();
    assert.equal(seen.row, null);
    assert.deepEqual(seen.holders, []);
    assert.deepEqual(seen.role, { registered: null, named: null });
    assert.deepEqual(seen.database, { registered: null, named: null, tombstone: null });
    assert.equal(seen.inFlight, null);
    assert.equal(seen.systemIdentifier, seen.registeredSystemIdentifier);
    assert.match(seen.systemIdentifier, /^\d+$/);
  });

  it('climbs step by step, each read back from the catalog', async () => {
    const tenant = new LiveTenant(live);
    await tenant.claim();
    const claimed = await tenant.observe();
    assert.equal(claimed.row?.state, 'Active');
    assert.equal(claimed.row.instanceUid, live.target.instanceUid);
    assert.equal(claimed.row.roleOid, null);

    await tenant.steps.createRole(await tenant.handle(), tenant.password, 7);
    const { row, role } = await tenant.observe();
    assert.equal(row?.roleOid, role.registered?.oid);
    assert.deepEqual(
      { ...role.registered, oid: '' },
      {
        oid: '',
        name: tenant.roleName,
        canLogin: true,
        inherit: true,
        superuser: false,
        createDb: false,
        createRole: false,
        replication: false,
        bypassRls: false,
        connectionLimit: 7,
        expires: false,
        selfGranted: false,
      },
    );

    await tenant.steps.createDatabase(await tenant.handle());
    const shut = await tenant.observe();
    assert.equal(shut.row?.databaseOid, null);
    assert.equal(shut.database.named?.allowConnections, false);
    assert.equal(shut.database.named.ownerOid, shut.row.roleOid);
    assert.equal(shut.inFlight, null);

    await tenant.steps.openDatabase(await tenant.handle());
    const open = await tenant.observe();
    assert.equal(open.row?.databaseOid, open.database.registered?.oid);
    assert.deepEqual(
      { ...open.database.registered, oid: '', ownerOid: '' },
      {
        oid: '',
        name: tenant.databaseName,
        ownerOid: '',
        ownerName: tenant.roleName,
        allowConnections: true,
        isTemplate: false,
        connectionLimit: -1,
        publicConnect: false,
        publicTemporary: false,
      },
    );
    const application = await tenant.connect();
    await application.query('create table mine (n int)');
    await application.end();
  });

  it('goes down step by step until nothing is left', async () => {
    const tenant = new LiveTenant(live);
    await tenant.open();

    await tenant.steps.close(await tenant.handle());
    const closed = await tenant.observe();
    assert.equal(closed.role.registered?.canLogin, false);
    assert.equal(closed.database.registered?.allowConnections, false);

    await tenant.steps.tombstone(await tenant.handle());
    const buried = await tenant.observe();
    assert.equal(buried.database.named, null);
    assert.equal(buried.database.tombstone?.oid, closed.database.registered.oid);
    assert.equal(buried.database.registered?.name, `pto_drop_${tenant.uid.replaceAll('-', '_')}`);

    await tenant.steps.dropDatabase(await tenant.handle());
    const dropped = await tenant.observe();
    assert.deepEqual(dropped.database, { registered: null, named: null, tombstone: null });

    await tenant.steps.dropRole(await tenant.handle());
    const bare = await tenant.observe();
    assert.deepEqual(bare.role, { registered: null, named: null });
    assert.equal(bare.row?.roleOid, null);
    assert.equal(bare.row.databaseOid, null);

    await tenant.steps.release(await tenant.handle());
    assert.equal((await tenant.observe()).row, null);
  });

  it('takes every step a second time without harm', async () => {
    const tenant = new LiveTenant(live);
    const twice = async (step: () => Promise<unknown>) => {
      await step();
      const first = await tenant.observe();
      await step();
      assert.deepEqual({ ...(await tenant.observe()), observedAt: '' }, { ...first, observedAt: '' });
    };
    await twice(() => tenant.claim());
    await twice(async () => tenant.steps.createRole(await tenant.handle(), tenant.password, -1));
    await twice(async () => tenant.steps.createDatabase(await tenant.handle()));
    await twice(async () => tenant.steps.openDatabase(await tenant.handle()));
    await twice(async () => tenant.steps.setPassword(await tenant.handle(), tenant.password));
    assert.equal((await tenant.session()).kind, 'proven');
    await twice(async () => tenant.steps.close(await tenant.handle()));
    await twice(async () => tenant.steps.tombstone(await tenant.handle()));
    await twice(async () => tenant.steps.dropDatabase(await tenant.handle()));
    await twice(async () => tenant.steps.dropRole(await tenant.handle()));
    await twice(async () => tenant.steps.release(await tenant.handle()));
  });

  it('shows the server a verifier and never a password', async () => {
    const tenant = new LiveTenant(live);
    await tenant.open();
    await tenant.steps.setPassword(await tenant.handle(), tenant.password);
    assert.equal((await tenant.session()).kind, 'proven');
    assert.ok(live.postgres.log().includes('SCRAM-SHA-256$4096:'));
    assert.ok(!live.postgres.log().includes(tenant.password.reveal()));
  });

  it('leaves no backend in any tenant database', async () => {
    const tenant = new LiveTenant(live);
    await tenant.open();
    await tenant.session();
    assert.deepEqual(
      await live.admin('select pid from pg_stat_activity where datname = $1', [tenant.databaseName]),
      [],
    );
  });
});
