import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';

import { type LiveServer, startLiveServer } from './live-server.ts';

describe('a registry that lost a part of itself', () => {
  let live: LiveServer;
  before(async () => {
    live = await startLiveServer();
  });
  after(() => live.close());

  /** A server whose registry is in a database of its own. */
  const registered = async (name: string) => {
    await live.admin(`create database ${name}`);
    const server = live.servers.of({ ...live.target, instanceUid: randomUUID(), managementDatabase: name });
    await server.registry.migrate();
    await server.registry.registerInstance();
    const tenant = { tenantUid: randomUUID(), databaseName: `${name}_app`, roleName: `${name}_app` };
    const observe = () => server.observe.tenant(tenant);
    const claim = async () => {
      const { observedAt } = await observe();
      const handle = { ...tenant, roleOid: null, databaseOid: null, observedAt };
      await server.tenants.claim(handle, { namespace: 'team', name });
    };
    const admin = (text: string) => live.admin(text, [], name);
    return { server, observe, claim, admin };
  };
  const missing = (what: string) => ({
    reason: 'RegistryMissing',
    message: `the registry has lost ${what}; restore schema pgtenancy from a backup`,
  });

  it('says so in every read and write without its meta row, and gets no new one', async () => {
    const { server, observe, claim, admin } = await registered('headless');
    await claim();
    await admin('delete from pgtenancy.meta');
    const lost = missing('its meta row');
    await assert.rejects(observe(), lost);
    await assert.rejects(server.observe.registry(), lost);
    await assert.rejects(server.registry.migrate(), lost);
    await assert.rejects(server.registry.registerInstance(), lost);
    await assert.rejects(server.registry.acceptServer('1'), lost);
    assert.deepEqual(await admin('select from pgtenancy.meta'), []);
  });

  it('gets a new meta row while it has no tenant', async () => {
    const { server, observe, admin } = await registered('emptied');
    await admin('delete from pgtenancy.meta');
    assert.equal((await server.observe.registry()).schemaVersion, null);
    await assert.rejects(observe(), missing('its meta row'));
    await assert.rejects(server.registry.registerInstance(), missing('its meta row'));
    await server.registry.migrate();
    const { schemaVersion, systemIdentifier, instance } = await server.observe.registry();
    assert.equal(schemaVersion, 1);
    assert.match(systemIdentifier ?? '', /^\d+$/);
    assert.deepEqual(instance, { installation: 'test' });
  });

  it('is not made anew beside the tables that are left', async () => {
    const { server, admin } = await registered('halved');
    await admin('drop table pgtenancy.meta');
    await assert.rejects(server.observe.registry(), missing('a table'));
    await assert.rejects(server.registry.migrate(), missing('a table'));
  });

  it('says so without a column too, and leaves the look at the server as it is', async () => {
    const { server, observe, admin } = await registered('narrowed');
    await admin('alter table pgtenancy.tenant drop column role_oid');
    await assert.rejects(observe(), missing('a column'));
    assert.equal((await server.observe.server()).registry.exists, true);
    await admin('alter table pgtenancy.meta drop column min_compatible_version');
    await assert.rejects(server.observe.registry(), missing('a column'));
  });

  it('is another thing than an empty one, or one that is not there at all', async () => {
    const { server, admin } = await registered('bare');
    await admin('truncate pgtenancy.instance');
    const empty = await server.observe.registry();
    assert.deepEqual(
      [empty.schemaVersion, empty.instance, empty.activeTenants],
      [1, null, { count: 0, first: [] }],
    );
    await admin('drop table pgtenancy.meta, pgtenancy.instance, pgtenancy.tenant');
    assert.equal((await server.observe.registry()).schemaVersion, null);
    await admin('drop schema pgtenancy');
    assert.equal((await server.observe.registry()).schemaVersion, null);
  });
});
