import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { createServers } from '../../src/postgres/servers.ts';
import { Secret } from '../../src/secret.ts';
import { startPostgres } from '../world/servers/postgres.ts';
import { LiveServer, LiveTenant } from './live-server.ts';

describe('a service that forbids asking for the system identifier', () => {
  let live: LiveServer;
  before(async () => {
    live = new LiveServer(await startPostgres(), { username: 'manager', password: new Secret('p') });
    await live.admin(`create role manager login createdb createrole password 'p';
      grant create on database postgres to manager;
      revoke execute on function pg_control_system() from public`);
    await live.register();
  });
  after(() => live.close());

  it('has none that could ever differ, until it may be asked', async () => {
    const tenant = new LiveTenant(live);
    const unknown = await tenant.observe();
    assert.equal(unknown.systemIdentifier, null);
    assert.equal(unknown.registeredSystemIdentifier, '');
    assert.equal((await live.server.observe.registry()).systemIdentifier, null);

    await live.admin('grant execute on function pg_control_system() to public');
    live.servers.forget(live.target.instanceUid);
    const asked = await tenant.observe();
    assert.match(asked.systemIdentifier ?? '', /^\d+$/);
    assert.equal(asked.registeredSystemIdentifier, asked.systemIdentifier);
    assert.equal((await live.server.observe.registry()).systemIdentifier, null);
  });

  for (const write of ['migrate', 'registerInstance'] as const) {
    it(`has it filled in by ${write} as soon as it is known, and kept from then on`, async () => {
      await live.admin(`update pgtenancy.meta set system_identifier = 'unknown'`);
      await live.server.registry[write]();
      const { systemIdentifier } = await live.server.observe.server();
      assert.equal((await live.server.observe.registry()).systemIdentifier, systemIdentifier);
      await live.admin(`update pgtenancy.meta set system_identifier = '1'`);
      await live.server.registry[write]();
      assert.equal((await live.server.observe.registry()).systemIdentifier, '1');
    });
  }

  it('is taken as it is by a human who confirms a server', async () => {
    await live.admin(`update pgtenancy.meta set system_identifier = 'unknown'`);
    const servers = createServers();
    const server = servers.of(live.target);
    await server.registry.acceptServer('1');
    const { systemIdentifier } = await server.observe.server();
    assert.equal((await server.observe.registry()).systemIdentifier, systemIdentifier);
    await servers.close();
  });
});
