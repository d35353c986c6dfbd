import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';

import type { Trouble } from '../../src/errors.ts';
import { createServers } from '../../src/postgres/servers.ts';
import { waitFor } from '../world/servers/wait-for.ts';
import { type LiveServer, LiveTenant, startLiveServer } from './live-server.ts';

describe('many replicas and many syncs at once', () => {
  let live: LiveServer;
  before(async () => {
    live = await startLiveServer(
      { settings: { log_statement: 'all' } },
      {},
      { lockMs: 300, objectLockMs: 5_000 },
    );
  });
  after(() => live.close());

  it('refuses a step whose observation is too old or from another clock', async () => {
    const tenant = new LiveTenant(live);
    await tenant.claim();
    const handle = await tenant.handle();
    const moved = async (seconds: number) => {
      const observedAt = new Date(Date.parse(handle.observedAt) + 1_000 * seconds).toISOString();
      await tenant.steps.createRole({ ...handle, observedAt }, tenant.password, -1);
    };
    await assert.rejects(moved(-9), { reason: 'StaleDecision', message: /too old/ });
    await assert.rejects(moved(60), { reason: 'StaleDecision', message: /too old/ });
    await moved(-5);
  });

  it('refuses a step that was decided before the row changed', async () => {
    const tenant = new LiveTenant(live);
    await tenant.claim();
    const early = await tenant.handle();
    await tenant.createRole();
    await assert.rejects(tenant.steps.createRole(early, tenant.password, -1), { reason: 'StaleDecision' });
    await assert.rejects(tenant.steps.close(early), { reason: 'StaleDecision' });
    assert.equal((await tenant.observe()).role.registered?.canLogin, true);
  });

  it('refuses to take away what was marked Retained after the decision', async () => {
    const tenant = new LiveTenant(live);
    await tenant.open();
    const decided = await tenant.handle();
    await tenant.steps.retain(await tenant.handle());
    await assert.rejects(tenant.steps.close(decided), { reason: 'StaleDecision' });
    const { row, database } = await tenant.observe();
    assert.equal(row?.state, 'Retained');
    assert.equal(database.registered?.allowConnections, true);
    await live.admin(`update pgtenancy.tenant set retained_at = retained_at - interval '1 minute'`);
    await tenant.remove();
    assert.equal((await tenant.observe()).row, null);
  });

  it('is Busy when another session changes the same role in the same moment', async () => {
    const tenant = new LiveTenant(live);
    await tenant.createRole();
    const handle = await tenant.handle();
    const other = await live.connect();
    try {
      await other.query(`begin; alter role ${tenant.roleName} connection limit 5`);
      const clash = assert.rejects(tenant.steps.repairRole(handle, { connectionLimit: 6 }), {
        reason: 'Busy',
        message: 'another session changed the same object in PostgreSQL',
      });
      await waitFor('the clash', async () => {
        const waiting = await live.admin(`select from pg_stat_activity where wait_event_type = 'Lock'`);
        return waiting.length > 0;
      });
      await other.query('commit');
      await clash;
    } finally {
      await other.end();
    }
  });

  it('is Busy while another session holds the row', async () => {
    const tenant = new LiveTenant(live);
    await tenant.claim();
    const handle = await tenant.handle();
    const other = await live.connect();
    try {
      await other.query('begin');
      await other.query('select from pgtenancy.tenant where tenant_uid = $1 for update', [tenant.uid]);
      const started = performance.now();
      await assert.rejects(tenant.steps.createRole(handle, tenant.password, -1), {
        reason: 'Busy',
        retryAfterSeconds: 2,
      });
      assert.ok(performance.now() - started < 2_000);
    } finally {
      await other.end();
    }
    await tenant.createRole();
  });

  it('gives a name to exactly one of those that claim it at once', async () => {
    const rivals = Array.from({ length: 6 }, () => new LiveTenant(live, 'wanted'));
    const results = await Promise.allSettled(rivals.map((tenant) => tenant.claim()));
    assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1);
    for (const result of results) {
      if (result.status === 'rejected') assert.match(String(result.reason), /is held by Tenant team\/wanted/);
    }
  });

  it('lets two replicas take the same step at once: one does it, both see it done', async () => {
    const tenant = new LiveTenant(live);
    await tenant.createRole();
    const replica = createServers();
    try {
      const other = replica.of(live.target).tenants;
      const handle = await tenant.handle();
      const created = await Promise.allSettled([
        tenant.steps.createDatabase(handle),
        other.createDatabase(handle),
      ]);
      // The second one waits for the first, on a slow machine longer than a lock is waited for.
      const failures = created.filter((result) => result.status === 'rejected');
      assert.ok(failures.length <= 1);
      for (const { reason } of failures) assert.equal((reason as Trouble).reason, 'Busy');
      const opened = await tenant.handle();
      const open = await Promise.allSettled([tenant.steps.openDatabase(opened), other.openDatabase(opened)]);
      assert.ok(open.some(({ status }) => status === 'fulfilled'));
      assert.equal((await tenant.session()).kind, 'proven');
    } finally {
      await replica.close();
    }
  });

  it('reads all tenants that wait at the same moment in one statement', async () => {
    const count = () => live.postgres.log().split('with me as materialized').length;
    const tenants = Array.from({ length: 40 }, () => new LiveTenant(live));
    await Promise.all(tenants.slice(0, 10).map((tenant) => tenant.claim()));
    const before = count();
    const seen = await Promise.all(tenants.map((tenant) => tenant.observe()));
    await waitFor('the statement in the log', () => Promise.resolve(count() > before));
    assert.ok(count() - before <= 2, `${count() - before} statements`);
    assert.deepEqual(
      seen.map(({ row }) => row?.databaseName),
      tenants.map(({ databaseName }, index) => (index < 10 ? databaseName : undefined)),
    );
  });

  it('holds no more backends than the Instance allows, whatever they are for', async () => {
    const tenant = new LiveTenant(live);
    await tenant.open();
    const others = [new LiveTenant(live), new LiveTenant(live)];
    for (const other of others) await other.createRole();
    const handles = await Promise.all(others.map((other) => other.handle()));
    const servers = createServers();
    try {
      const instanceUid = live.target.instanceUid;
      const server = servers.of({ ...live.target, instanceUid, maxConnections: 3 });
      const handle = await tenant.handle();
      let most = 0;
      const watch = async () => {
        const [row] = await live.admin<{ n: number }>(
          `select count(*)::int as n from pg_stat_activity where backend_type = 'client backend'
              and application_name like 'pgtenancy%' and pid <> all ($1)`,
          [ours],
        );
        most = Math.max(most, row?.n ?? 0);
      };
      const ours = (
        await live.admin<{ pid: number }>(
          `select pid from pg_stat_activity where application_name like 'pgtenancy%'`,
        )
      ).map(({ pid }) => pid);
      const work = Array.from({ length: 8 }, (_, index) =>
        index % 2 === 0
          ? server.observe.session(handle, tenant.password, [])
          : server.observe.blockers(handle),
      );
      const creating = handles.map((one) => server.tenants.createDatabase(one));
      await Promise.all([...work, ...creating, ...Array.from({ length: 8 }, watch)]);
      assert.ok(most >= 1 && most <= 3, `${most} backends`);
    } finally {
      await servers.close();
    }
  });
});

describe('a registry', () => {
  let live: LiveServer;
  before(async () => {
    live = await startLiveServer();
  });
  after(() => live.close());

  const elsewhere = async (name: string) => {
    await live.admin(`create database ${name}`);
    return { ...live.target, instanceUid: randomUUID(), managementDatabase: name };
  };

  it('is created once by any number of replicas', async () => {
    const target = await elsewhere('fresh');
    const replicas = Array.from({ length: 4 }, () => createServers());
    const servers = replicas.map((replica) => replica.of(target));
    assert.equal((await servers[0]?.observe.registry())?.schemaVersion, null);
    await assert.rejects(
      servers[0]!.observe.tenant({ tenantUid: randomUUID(), databaseName: 'x', roleName: 'x' }),
      { reason: 'RegistryMissing' },
    );
    await Promise.all(servers.map((server) => server.registry.migrate()));
    await Promise.all(servers.map((server) => server.registry.registerInstance()));
    const view = await servers[0]?.observe.registry();
    assert.equal(view?.schemaVersion, 1);
    assert.deepEqual(view.instance, { installation: 'test' });
    const acl = await live.admin(
      `select from information_schema.role_table_grants where table_schema = 'pgtenancy' and grantee = 'PUBLIC'`,
      [],
      'fresh',
    );
    assert.equal(acl.length, 0);
    await Promise.all(replicas.map((replica) => replica.close()));
  });

  it('that a newer operator wrote is refused, unless it says that it is compatible', async () => {
    const target = await elsewhere('newer');
    const server = live.servers.of(target);
    await server.registry.migrate();
    await live.admin('update pgtenancy.meta set schema_version = 7', [], 'newer');
    await server.registry.migrate();
    assert.equal((await server.observe.registry()).schemaVersion, 7);
    await live.admin('update pgtenancy.meta set min_compatible_version = 7', [], 'newer');
    await assert.rejects(server.registry.migrate(), { reason: 'RegistryTooNew' });
  });

  it('in a schema of somebody else is refused', async () => {
    const target = await elsewhere('planted');
    await live.admin('create role planter');
    await live.admin('create schema pgtenancy authorization planter', [], 'planted');
    await assert.rejects(live.servers.of(target).registry.migrate(), {
      reason: 'RightsMissing',
      message: 'schema pgtenancy belongs to role "planter", not to the management role',
    });
  });

  it('releases an Instance only when no active tenant names it', async () => {
    const tenant = new LiveTenant(live);
    await tenant.claim();
    const { registry, observe } = live.server;
    assert.equal(await registry.releaseInstance(), false);
    assert.deepEqual((await observe.registry()).activeTenants, {
      count: 1,
      first: [`team/${tenant.databaseName}`],
    });
    await tenant.steps.retain(await tenant.handle());
    assert.equal(await registry.releaseInstance(), true);
    assert.equal(await registry.releaseInstance(), true);
    assert.equal((await observe.registry()).instance, null);
    await assert.rejects(new LiveTenant(live).claim(), { reason: 'InstanceNotReady' });
    await registry.registerInstance();
  });

  it('takes another server as its own only for the one that was confirmed', async () => {
    const tenant = new LiveTenant(live);
    const { systemIdentifier } = await tenant.observe();
    await live.admin(`update pgtenancy.meta set system_identifier = '1'`);
    assert.equal((await tenant.observe()).registeredSystemIdentifier, '1');
    await assert.rejects(live.server.registry.acceptServer('2'), { reason: 'StaleDecision' });
    await live.server.registry.acceptServer('1');
    await live.server.registry.acceptServer('1');
    assert.equal((await tenant.observe()).registeredSystemIdentifier, systemIdentifier);
  });
});
