import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import type { Client } from 'pg';

import { Secret } from '../../src/secret.ts';
import { LiveServer, LiveTenant } from './live-server.ts';
import { startPostgres } from '../world/servers/postgres.ts';

describe('a create database that seems to run', () => {
  let live: LiveServer;
  before(async () => {
    live = new LiveServer(await startPostgres(), {
      username: 'login_1',
      password: new Secret('p'),
      adminRole: 'admins',
    });
    await live.admin(`create role admins superuser;
      create role login_1 login in role admins password 'p';
      create role login_2 login in role admins password 'p'`);
    await live.register();
  });
  after(() => live.close());

  /** Runs for as long as `look` takes, under the name that the operator would give it. */
  const pretending = async <T>(client: Client, of: LiveTenant, look: () => Promise<T>): Promise<T> => {
    try {
      await client.query(`set application_name = 'pgtenancy create ${of.uid}'; begin`);
      return await look();
    } finally {
      await client.end();
    }
  };

  it('is not believed of a tenant, who may call a session anything', async () => {
    const tenant = new LiveTenant(live);
    const victim = new LiveTenant(live);
    await tenant.open();
    await victim.createRole();
    await pretending(await tenant.connect(), victim, async () => {
      assert.equal((await victim.observe()).inFlight, null);
      await victim.steps.createDatabase(await victim.handle());
      assert.ok((await victim.observe()).database.named);
    });
  });

  it('is believed of the management login and of another login of the same adminRole', async () => {
    const tenant = new LiveTenant(live);
    for (const user of ['login_1', 'login_2']) {
      const inFlight = await pretending(
        await live.connect({ user, password: 'p' }),
        tenant,
        async () => (await tenant.observe()).inFlight,
      );
      assert.equal(inFlight, 'create', user);
    }
    const { database } = await tenant.observe();
    assert.equal(database.named, null);
  });

  it('is not believed of another login where there is no adminRole', async () => {
    const tenant = new LiveTenant(live);
    const { name: username, password } = live.postgres.superuser;
    const server = live.servers.of({
      ...live.target,
      username,
      password: new Secret(password),
      adminRole: undefined,
    });
    const { uid: tenantUid, databaseName, roleName } = tenant;
    const look = async () => (await server.observe.tenant({ tenantUid, databaseName, roleName })).inFlight;
    const other = await live.connect({ user: 'login_2', password: 'p' });
    assert.equal(await pretending(other, tenant, look), null);
    assert.equal(await pretending(await live.connect(), tenant, look), 'create');
  });
});
