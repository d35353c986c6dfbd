import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server as TcpServer, type Socket } from 'node:net';
import { after, before, describe, it } from 'node:test';

import { createServers } from '../../src/postgres/servers.ts';
import type { ServerTarget } from '../../src/reconcile/ports.ts';
import { Secret } from '../../src/secret.ts';
import { waitFor } from '../world/servers/wait-for.ts';
import { type LiveServer, LiveTenant, startLiveServer } from './live-server.ts';

const oddName = 'Odd User 1';
const oddPassword = `p'a"s\\s w%20rd:/?#$1@`;

describe('the management connection', () => {
  let live: LiveServer;
  before(async () => {
    live = await startLiveServer({
      superuser: { name: oddName, password: oddPassword },
      hba: ['host all clear all password'],
    });
  });
  after(() => live.close());

  /** A server of its own adapter, so that nothing is remembered between the tests. */
  const using = async <T>(
    more: Partial<ServerTarget>,
    work: (server: ReturnType<ReturnType<typeof createServers>['of']>) => Promise<T>,
    limits: Parameters<typeof createServers>[0] = {},
  ): Promise<T> => {
    const servers = createServers(limits);
    try {
      return await work(servers.of({ ...live.target, instanceUid: randomUUID(), ...more }));
    } finally {
      await servers.close();
    }
  };
  const backends = async () =>
    (await live.admin(`select from pg_stat_activity where application_name like 'pgtenancy%'`)).length;

  it('shows what the server is, with a login of special characters', async () => {
    const tenant = new LiveTenant(live);
    await tenant.open();
    const { systemIdentifier, versionNumber, version, ...view } = await live.server.observe.server();
    assert.equal(systemIdentifier, (await tenant.observe()).systemIdentifier);
    assert.equal(Math.floor(versionNumber / 10_000), 17);
    assert.match(version, /^17\.\d+$/);
    assert.deepEqual(view, {
      inRecovery: false,
      template: { encoding: 'UTF8', locale: 'C' },
      pooled: false,
      currentUser: oddName,
      superuser: true,
      createDb: true,
      createRole: true,
      inherits: true,
      managementDatabase: { name: 'postgres', create: true },
      registry: { exists: true, foreign: [] },
      denied: [],
      certificate: { coversHost: true, coversAddress: true },
      publicConnect: ['postgres', 'template1'],
    });
  });

  it('switches to an admin role, whatever its name', async () => {
    await live.admin('create role "The \\ admins" createdb');
    const currentUser = await using({ adminRole: 'The \\ admins' }, async (server) => {
      const view = await server.observe.server();
      assert.equal(view.superuser, false);
      return view.currentUser;
    });
    assert.equal(currentUser, 'The \\ admins');
    await using({ adminRole: 'nobody_at_all' }, (server) =>
      assert.rejects(server.observe.server(), { reason: 'AdminRoleUnusable' }),
    );
  });

  it('says what is wrong with the login or the database', async () => {
    await using({ password: new Secret('wrong') }, (server) =>
      assert.rejects(server.observe.server(), { reason: 'AuthenticationFailed' }),
    );
    await using({ managementDatabase: 'missing' }, (server) =>
      assert.rejects(server.observe.server(), { reason: 'ManagementDatabaseMissing' }),
    );
    await live.admin(`create role clear login superuser password 'p'`);
    await using({ username: 'clear', password: new Secret('p') }, (server) =>
      assert.rejects(server.observe.server(), { reason: 'InsecureAuthentication' }),
    );
    await using({ tls: { mode: 'verify-full', ca: undefined } }, (server) =>
      assert.rejects(server.observe.server(), { reason: 'TLSVerificationFailed' }),
    );
    await using({ tls: { mode: 'verify-full', ca: 'garbage' } }, (server) =>
      assert.rejects(server.observe.server(), { reason: 'InvalidCABundle' }),
    );
  });

  it('is not tried again for a while after it failed', async () => {
    let time = 0;
    const count = () => live.postgres.log().split('password authentication failed').length;
    const work = async (server: LiveServer['server']) => {
      await assert.rejects(server.observe.server(), { reason: 'AuthenticationFailed' });
      await waitFor('the line in the log', () => count() > before);
      const once = count();
      await assert.rejects(server.observe.registry(), { reason: 'AuthenticationFailed' });
      assert.equal(count(), once);
      time = 5_000;
      await assert.rejects(server.observe.server(), { reason: 'AuthenticationFailed' });
      await waitFor('the line in the log', () => count() > once);
    };
    const before = count();
    await using({ password: new Secret('wrong') }, work, { now: () => time });
  });

  it('is closed when it is idle, and when the target changed', async () => {
    await live.servers.close();
    await waitFor('no backend', async () => (await backends()) === 0);
    await using(
      {},
      async (server) => {
        await Promise.all([server.observe.server(), server.observe.registry()]);
        await waitFor('no backend', async () => (await backends()) === 0);
      },
      { idleMs: 50 },
    );
    const servers = createServers();
    const target = { ...live.target, instanceUid: randomUUID() };
    await servers.of(target).observe.server();
    assert.equal(servers.of({ ...target, password: new Secret(oddPassword) }), servers.of(target));
    assert.equal(await backends(), 1);
    await live.admin('alter role current_user password $$rotated$$');
    await servers.of({ ...target, password: new Secret('rotated') }).observe.server();
    await waitFor('the old backend to go', async () => (await adminBackends('rotated')) === 1);
    await servers.close();
    const admin = await live.connect({ password: 'rotated' });
    await admin.query(`alter role current_user password ${admin.escapeLiteral(oddPassword)}`);
    await admin.end();
  });

  it('is closed when the Instance is gone, and its password is not kept', async () => {
    const servers = createServers();
    const target = { ...live.target, instanceUid: randomUUID() };
    const server = servers.of(target);
    const before = await backends();
    await server.observe.server();
    assert.equal(await backends(), before + 1);
    servers.forget(target.instanceUid);
    servers.forget(target.instanceUid);
    await waitFor('the backend to go', async () => (await backends()) === before);
    assert.notEqual(servers.of(target), server);
    await servers.close();
  });

  it('of an Instance that nobody asks for any more is forgotten, but not while work is done on it', async (t) => {
    let now = 0;
    const servers = createServers({ now: () => now });
    t.after(() => servers.close());
    const [left, busy, kept] = [1, 2, 3].map((number) => ({
      ...live.target,
      instanceUid: randomUUID(),
      instanceName: `pg-${number}`,
    }));
    const server = servers.of(left!);
    await server.observe.server();
    const holder = await live.connect({ password: oddPassword });
    try {
      await holder.query('begin; lock table pgtenancy.tenant in access exclusive mode');
      const working = servers
        .of(busy!)
        .observe.registry()
        .catch(() => undefined);
      now = 1_800_000;
      servers.of(kept!);
      assert.deepEqual(
        servers.usage().map(({ instance }) => instance),
        ['pg-2', 'pg-3'],
      );
      assert.notEqual(servers.of(left!), server);
      await holder.query('rollback');
      await working;
    } finally {
      await holder.end();
    }
  });

  async function adminBackends(password: string): Promise<number> {
    const admin = await live.connect({ password });
    const { rowCount } = await admin.query(
      `select from pg_stat_activity where application_name like 'pgtenancy%'`,
    );
    await admin.end();
    return rowCount ?? 0;
  }

  it('works again after the server was restarted', async () => {
    const { observe } = live.server;
    await observe.server();
    await live.postgres.stop();
    await assert.rejects(observe.server(), { reason: 'InstanceUnreachable' });
    await live.postgres.start();
    await using({}, (server) => server.observe.server());
  });

  it('through a pooler is recognised by the pid', async () => {
    const proxy = await startProxy(live.postgres.port);
    await using({ port: proxy.port }, async (server) => {
      assert.equal((await server.observe.server()).pooled, true);
    });
    await proxy.close();
  });

  it('gives up on a port where nobody listens, and on a server that says nothing', async () => {
    const silent = await listen(createServer(() => undefined));
    const started = performance.now();
    await using(
      { port: silent.port },
      (server) => assert.rejects(server.observe.server(), { reason: 'InstanceUnreachable' }),
      { connectMs: 200 },
    );
    assert.ok(performance.now() - started < 2_000);
    await silent.close();
    await using({ port: silent.port }, (server) =>
      assert.rejects(server.observe.server(), {
        reason: 'InstanceUnreachable',
        message: /^nothing listens at the address and port of the Instance/,
      }),
    );
  });
});

async function listen(server: TcpServer) {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => sockets.add(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  };
  return { port: (server.address() as AddressInfo).port, close };
}

/** Forwards everything and changes the pid in BackendKeyData, as a pooler does. */
function startProxy(port: number) {
  const keyData = Buffer.from([0x4b, 0, 0, 0, 12]);
  return listen(
    createServer((client) => {
      const server = connect(port, '127.0.0.1');
      for (const socket of [client, server]) socket.on('error', () => undefined);
      client.pipe(server);
      server.on('data', (chunk) => {
        const index = chunk.indexOf(keyData);
        if (index >= 0) chunk.writeInt32BE(1, index + keyData.length);
        client.write(chunk);
      });
      server.on('close', () => client.destroy());
      client.on('close', () => server.destroy());
    }),
  );
}
