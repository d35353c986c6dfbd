import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { type LiveServer, LiveTenant, startLiveServer } from './live-server.ts';

describe('what other tenants grant to a role on their databases', () => {
  let live: LiveServer;
  before(async () => {
    live = await startLiveServer();
  });
  after(() => live.close());

  const opened = async () => {
    const tenant = new LiveTenant(live);
    await tenant.open();
    return tenant;
  };
  const as = async (tenant: LiveTenant, database: LiveTenant, statement: string) => {
    const { roleName: user, password } = tenant;
    const client = await live.connect({
      user,
      password: password.reveal(),
      database: database.databaseName,
    });
    await client.query(statement);
    await client.end();
  };

  it('does not block its deletion, not even handed on by others or by itself', async () => {
    const [evil, first, second, victim] = [await opened(), await opened(), await opened(), await opened()];
    const grant = (to: LiveTenant) =>
      `grant connect on database ${evil.databaseName} to ${to.roleName} with grant option`;
    await as(evil, evil, grant(first));
    await as(first, evil, grant(second));
    await as(second, evil, grant(victim));
    await as(victim, evil, `grant connect on database ${evil.databaseName} to postgres`);
    await as(evil, evil, `grant create, temporary on database ${evil.databaseName} to ${victim.roleName}`);
    assert.deepEqual((await live.server.observe.blockers(await victim.handle())).dependencies, []);
    await victim.remove();
    assert.equal((await victim.observe()).role.named, null);
    assert.equal((await evil.session()).kind, 'proven');
  });

  it('blocks it still where the role owns the other database', async () => {
    const victim = await opened();
    await live.admin('create database inherited');
    await live.admin(`alter database inherited owner to ${victim.roleName}`);
    assert.deepEqual((await live.server.observe.blockers(await victim.handle())).dependencies, [
      'ownership of database inherited',
    ]);
    await assert.rejects(victim.remove(), {
      reason: 'DeletionBlocked',
      message: `role "${victim.roleName}" still has ownership of database inherited`,
    });
  });
});
