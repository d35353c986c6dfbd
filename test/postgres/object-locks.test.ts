import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';

import { waitFor } from '../world/servers/wait-for.ts';
import { describeAsEach, type LiveServer, LiveTenant, startLiveServer } from './live-server.ts';

describeAsEach('a tenant that holds locks on its own role and database', (role) => {
  let live: LiveServer;
  before(async () => {
    live = await startLiveServer(
      { role, settings: { max_prepared_transactions: '4' } },
      {},
      { lockMs: 20_000 },
    );
  });
  after(() => live.close());

  const opened = async () => {
    const tenant = new LiveTenant(live);
    await tenant.open();
    return tenant;
  };
  const holding = async (tenant: LiveTenant) => {
    const session = await tenant.connect();
    await session.query(`begin; alter role ${tenant.roleName} password 'x';
      alter database ${tenant.databaseName} connection limit 5`);
    return session;
  };

  it('makes steps end soon and say why', async () => {
    const tenant = await opened();
    const session = await holding(tenant);
    const held = {
      reason: 'LockHeld',
      message: new RegExp(
        `^a session holds a lock on role "${tenant.roleName}" or database "${tenant.databaseName}", `,
      ),
    };
    const started = performance.now();
    await assert.rejects(async () => tenant.steps.setPassword(await tenant.handle(), tenant.password), held);
    await assert.rejects(async () => tenant.steps.openDatabase(await tenant.handle()), held);
    assert.ok(performance.now() - started < 10_000);
    await session.end();
    await waitFor('the end of the lock', async () =>
      tenant.steps.openDatabase(await tenant.handle()).then(
        () => true,
        () => false,
      ),
    );
  });

  it('does not hold up its deletion, which ends its sessions first', async () => {
    const tenant = await opened();
    const session = await holding(tenant);
    await tenant.steps.close(await tenant.handle());
    await tenant.remove();
    assert.equal((await tenant.observe()).row, null);
    await session.end().catch(() => undefined);
  });

  it('is told of a transaction that its role prepared in another database', async () => {
    const tenant = await opened();
    const other = await live.connect({ user: tenant.roleName, password: tenant.password.reveal() });
    await other.query(`begin; alter role ${tenant.roleName} password 'x'; prepare transaction 'far away'`);
    await other.end();
    const blockers = await live.server.observe.blockers(await tenant.handle());
    assert.deepEqual(blockers.preparedTransactions, ['far away in database postgres']);
    await live.admin(`rollback prepared 'far away'`, [], 'postgres');
    await tenant.remove();
  });
});
