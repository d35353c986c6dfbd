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

  it('holds it up while the owner changes the grants, and the other database is named', async () => {
    const [evil, victim] = [await opened(), await opened()];
    await as(evil, evil, `grant create on database ${evil.databaseName} to ${victim.roleName}`);
    await victim.steps.close(await victim.handle());
    await victim.steps.tombstone(await victim.handle());
    await victim.steps.dropDatabase(await victim.handle());
    const session = await evil.connect();
    await session.query(`begin; alter database ${evil.databaseName} connection limit 5`);
    await assert.rejects(async () => victim.steps.dropRole(await victim.handle()), {
      reason: 'LockHeld',
      message: new RegExp(
        `^a session holds a lock on database "${evil.databaseName}", on which "${victim.roleName}" was given rights, `,
      ),
    });
    await session.end();
    await victim.steps.dropRole(await victim.handle());
    await victim.steps.release(await victim.handle());
  });

  it('blocks it where they are inside of the other database, which is named before anything is destroyed', async () => {
    const [evil, victim] = [await opened(), await opened()];
    await as(evil, evil, 'create table public.shared (n int)');
    await as(evil, evil, `grant select, insert on public.shared to ${victim.roleName}`);
    const { dependencies } = await live.server.observe.blockers(await victim.handle());
    assert.deepEqual(dependencies, [`1 grant in database ${evil.databaseName}`]);
    // The way out that the message names.
    await live.admin(`drop owned by ${victim.roleName}`, [], evil.databaseName);
    await victim.remove();
    assert.equal((await victim.observe()).role.named, null);
    await as(evil, evil, 'select from public.shared');
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
      message: new RegExp(
        `^role "${victim.roleName}" still has ownership of database inherited; .*: drop owned by "?${victim.roleName}`,
      ),
    });
  });
});
