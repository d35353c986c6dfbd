import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';

import { describeAsEach, type LiveServer, LiveTenant, startLiveServer } from './live-server.ts';

describeAsEach('a tenant that turns its own database against the operator', (role) => {
  let live: LiveServer;
  before(async () => {
    live = await startLiveServer({ role });
  });
  after(() => live.close());

  const asOwner = async (tenant: LiveTenant, ...statements: string[]) => {
    const owner = await tenant.connect();
    for (const statement of statements) await owner.query(statement);
    await owner.end();
  };

  const settings = [
    `set local_preload_libraries = 'no_such_library'`,
    'set role = %role',
    'set search_path = planted, pg_catalog',
    'set default_transaction_read_only = on',
    `set default_transaction_isolation = 'serializable'`,
    'set statement_timeout = 1',
    'set lock_timeout = 1',
    `set transaction_timeout = '1ms'`,
    'set idle_session_timeout = 1',
    'set standard_conforming_strings = off',
    `set datestyle = 'German'`,
    'is_template true',
  ];
  for (const setting of settings) {
    it(`does not disturb login and extensions with alter database ... ${setting}`, async () => {
      const tenant = new LiveTenant(live);
      await tenant.open();
      const { databaseName: name, roleName } = tenant;
      const owner = await tenant.connect();
      await owner.query('create schema planted');
      await owner.query(
        'create table planted.pg_extension (extname text, extversion text, extnamespace oid)',
      );
      await owner.query(`alter database ${name} ${setting.replace('%role', roleName)}`);
      const seen = await tenant.session(['citext']);
      assert.equal(seen.kind === 'proven' && seen.extensions[0]?.name, 'plpgsql');
      const extension = { schema: undefined, version: undefined };
      const handle = await tenant.handle();
      await tenant.steps.installExtension(handle, tenant.password, {
        ...extension,
        name: 'citext',
        as: 'tenant',
      });
      // The management role enters no database that holds something of the tenant's.
      await owner.query('drop table planted.pg_extension');
      await owner.end();
      const untrusted = tenant.steps.installExtension(handle, tenant.password, {
        ...extension,
        name: 'dblink',
        as: 'management',
      });
      if (role === 'superuser') await untrusted;
      else await assert.rejects(untrusted, { reason: 'RequiresSuperuser' });
      await tenant.steps.openDatabase(await tenant.handle());
      await tenant.remove();
      assert.equal((await tenant.observe()).row, null);
    });
  }

  it('cannot lock itself out for good with a connection limit of 0', async () => {
    const tenant = new LiveTenant(live);
    await tenant.open();
    await asOwner(tenant, `alter database ${tenant.databaseName} connection limit 0`);
    assert.equal((await tenant.observe()).database.registered?.connectionLimit, 0);
    assert.deepEqual(await tenant.session(), { kind: 'authenticated' });
    await tenant.steps.openDatabase(await tenant.handle());
    assert.equal((await tenant.session()).kind, 'proven');
  });

  it('lets PUBLIC in again, also through somebody else, and is closed again', async () => {
    const tenant = new LiveTenant(live);
    const friend = new LiveTenant(live);
    await tenant.open();
    await friend.open();
    const { databaseName: name } = tenant;
    await asOwner(
      tenant,
      `grant connect on database ${name} to public`,
      `grant connect on database ${name} to ${friend.roleName} with grant option`,
    );
    await asOwner(friend, `grant connect on database ${name} to public`);
    assert.equal((await tenant.observe()).database.registered?.publicConnect, true);
    await tenant.steps.openDatabase(await tenant.handle());
    assert.equal((await tenant.observe()).database.registered?.publicConnect, false);
    const guest = await live.connect({
      user: friend.roleName,
      password: friend.password.reveal(),
      database: name,
    });
    await guest.end();
  });
});
