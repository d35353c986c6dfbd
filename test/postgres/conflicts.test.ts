import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, it } from 'node:test';

import { describeAsEach, type LiveServer, LiveTenant, startLiveServer } from './live-server.ts';

describeAsEach('what belongs to somebody else', (role) => {
  let live: LiveServer;
  before(async () => {
    live = await startLiveServer({ role });
  });
  after(() => live.close());

  it('is never claimed: a role, a database or a row of that name is a Conflict', async () => {
    const role = new LiveTenant(live, 'foreign_role');
    await live.admin('create role foreign_role');
    await assert.rejects(role.claim(), { reason: 'Conflict', message: /role "foreign_role" exists/ });

    const database = new LiveTenant(live, 'foreign_database');
    await live.admin('create database foreign_database');
    await assert.rejects(database.claim(), { reason: 'Conflict', message: /database "foreign_database"/ });

    const holder = new LiveTenant(live, 'held');
    await holder.claim();
    const late = new LiveTenant(live, 'held');
    await assert.rejects(late.claim(), {
      reason: 'Conflict',
      message: `database name "held" is held by Tenant team/held (UID ${holder.uid}, installation test, Active)`,
    });
    const seen = await late.observe();
    assert.equal(seen.row, null);
    assert.equal(seen.holders[0]?.tenantUid, holder.uid);
  });

  it('is not taken over when it appears after the claim', async () => {
    const tenant = new LiveTenant(live);
    await tenant.claim();
    await live.admin(`create role ${tenant.roleName}`);
    const early = await tenant.handle();
    await assert.rejects(tenant.steps.createRole(early, tenant.password, -1), { reason: 'Conflict' });
    assert.equal((await tenant.observe()).row?.roleOid, null);
    await live.admin(`drop role ${tenant.roleName}`);
    await tenant.createRole();

    await live.admin(`create database ${tenant.databaseName}`);
    await assert.rejects(async () => tenant.steps.createDatabase(await tenant.handle()), {
      reason: 'Conflict',
    });
    await assert.rejects(async () => tenant.steps.openDatabase(await tenant.handle()), {
      reason: 'Conflict',
    });
    assert.equal((await tenant.observe()).database.named?.publicConnect, true);
  });

  it('stays another Instance: its rows are not touched until a human moves them', async () => {
    const tenant = new LiveTenant(live);
    await tenant.claim();
    const from = live.target.instanceUid;
    const target = { ...live.target, instanceUid: randomUUID() };
    const other = live.servers.of(target);
    const owner = { namespace: 'team', name: tenant.databaseName };
    await assert.rejects(async () => other.tenants.claim(await tenant.handle(), owner), {
      reason: 'InstanceNotReady',
    });
    await other.registry.registerInstance();
    await assert.rejects(async () => other.tenants.claim(await tenant.handle(), owner), {
      reason: 'InstanceChanged',
    });
    await assert.rejects(async () => other.tenants.createRole(await tenant.handle(), tenant.password, -1), {
      reason: 'InstanceChanged',
    });
    await assert.rejects(async () => other.tenants.moveToInstance(await tenant.handle(), randomUUID()), {
      reason: 'StaleDecision',
    });
    await other.tenants.moveToInstance(await tenant.handle(), from);
    await other.tenants.moveToInstance(await tenant.handle(), from);
    await other.tenants.createRole(await tenant.handle(), tenant.password, -1);
    assert.equal((await tenant.observe()).row?.instanceUid, target.instanceUid);

    const foreign = live.servers.of({ ...live.target, instanceUid: randomUUID(), installation: 'other' });
    await foreign.registry.registerInstance();
    await assert.rejects(
      async () => foreign.tenants.moveToInstance(await tenant.handle(), target.instanceUid),
      {
        reason: 'InstanceChanged',
      },
    );
  });
});

describeAsEach('what a database administrator did', (role) => {
  let live: LiveServer;
  before(async () => {
    live = await startLiveServer({ role });
  });
  after(() => live.close());

  it('binds a restored database again when the registered role owns it', async () => {
    const tenant = new LiveTenant(live);
    await tenant.open();
    const name = tenant.databaseName;
    await live.admin(`drop database ${name}`);
    await live.admin(`create database ${name} owner ${tenant.roleName}`);
    assert.equal((await tenant.observe()).database.registered, null);
    await tenant.steps.openDatabase(await tenant.handle());
    const { row, database } = await tenant.observe();
    assert.equal(row?.databaseOid, database.named?.oid);
    assert.equal(database.registered?.publicConnect, false);
  });

  it('reports a lost database until it is forgotten, and forgets none that exists', async () => {
    const tenant = new LiveTenant(live);
    await tenant.open();
    await assert.rejects(async () => tenant.steps.forgetDatabase(await tenant.handle()), {
      reason: 'StaleDecision',
    });
    await live.admin(`drop database ${tenant.databaseName}`);
    await assert.rejects(async () => tenant.steps.createDatabase(await tenant.handle()), {
      reason: 'DatabaseLost',
    });
    await tenant.steps.forgetDatabase(await tenant.handle());
    await tenant.open();
    assert.equal((await tenant.session()).kind, 'proven');
  });

  it('leaves a renamed database and a renamed role alone', async () => {
    const tenant = new LiveTenant(live);
    await tenant.open();
    await live.admin(`alter database ${tenant.databaseName} rename to moved_away`);
    await assert.rejects(async () => tenant.steps.openDatabase(await tenant.handle()), {
      reason: 'DatabaseRenamed',
    });
    assert.equal((await tenant.observe()).database.registered?.name, 'moved_away');
    await live.admin(`alter role ${tenant.roleName} rename to somebody`);
    await assert.rejects(async () => tenant.steps.setPassword(await tenant.handle(), tenant.password), {
      reason: 'Conflict',
    });
    assert.equal((await tenant.observe()).role.registered?.name, 'somebody');
  });

  // Some attributes are a superuser's to take away.
  if (role === 'superuser') {
    it('puts attributes, owner, PUBLIC grants and a self-grant right', async () => {
      const tenant = new LiveTenant(live);
      await tenant.open();
      const { roleName: name } = tenant;
      await live.admin(
        `alter role ${name} nologin noinherit superuser createdb createrole replication bypassrls`,
      );
      await live.admin(`alter role ${name} connection limit 3 valid until '2020-01-01'`);
      await live.admin(`alter database ${name} owner to postgres`);
      await live.admin(`grant all on database ${name} to public`);
      await live.admin(`grant ${name} to postgres granted by postgres`);
      const broken = await tenant.observe();
      assert.equal(broken.role.registered?.expires, true);
      assert.equal(broken.role.registered.selfGranted, true);
      assert.equal(broken.database.registered?.publicConnect, true);
      assert.equal(broken.database.registered.publicTemporary, true);
      await tenant.steps.repairRole(await tenant.handle(), {
        login: true,
        inherit: true,
        superuser: false,
        createDb: false,
        createRole: false,
        replication: false,
        bypassRls: false,
        connectionLimit: -1,
        neverExpires: true,
      });
      await tenant.steps.openDatabase(await tenant.handle());
      const seen = await tenant.observe();
      const { database } = seen;
      const { oid, name: roleName, ...attributes } = seen.role.registered!;
      assert.deepEqual([oid, roleName], [database.registered?.ownerOid, name]);
      assert.deepEqual(attributes, {
        canLogin: true,
        inherit: true,
        superuser: false,
        createDb: false,
        createRole: false,
        replication: false,
        bypassRls: false,
        connectionLimit: -1,
        expires: false,
        selfGranted: false,
      });
      assert.equal(database.registered?.publicConnect, false);
      assert.equal(database.registered.publicTemporary, false);
    });
  }

  it('makes a dropped role again under its name and gives it its database back', async () => {
    const tenant = new LiveTenant(live);
    await tenant.open();
    const before = await tenant.observe();
    await live.admin(`alter database ${tenant.databaseName} owner to ${live.manager}`);
    await live.admin(`drop role ${tenant.roleName}`);
    await tenant.steps.createRole(await tenant.handle(), tenant.password, -1);
    await tenant.steps.openDatabase(await tenant.handle());
    const { row, database } = await tenant.observe();
    assert.notEqual(row?.roleOid, before.row?.roleOid);
    assert.equal(database.registered?.ownerOid, row?.roleOid);
    assert.equal((await tenant.session()).kind, 'proven');
  });
});
