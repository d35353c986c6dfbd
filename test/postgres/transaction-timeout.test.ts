import assert from 'node:assert/strict';
import { it } from 'node:test';

import { setUpSingleLogin } from '../world/servers/management-role.ts';
import { startPostgres } from '../world/servers/postgres.ts';
import { waitFor } from '../world/servers/wait-for.ts';
import { LiveServer, LiveTenant, targetOf } from './live-server.ts';

it('a transaction_timeout on the management login ends no transaction, of the first session or a later one', async () => {
  const postgres = await startPostgres({ major: 17 });
  const target = targetOf(await setUpSingleLogin(postgres));
  const live = new LiveServer(postgres, target, { objectLockMs: 600, idleMs: 500 });
  try {
    await live.admin(`alter role ${live.manager} set transaction_timeout = '200ms'`);
    await live.register();
    const tenant = new LiveTenant(live);
    await tenant.open();
    const owner = await tenant.connect();
    await owner.query(`begin; alter role ${tenant.roleName} password 'x'`);
    const idle = () => live.servers.usage().reduce((sum, usage) => sum + usage.idle, 0);
    for (const session of ['first', 'later']) {
      const change = async () => tenant.steps.setPassword(await tenant.handle(), tenant.password);
      await assert.rejects(change, { reason: 'LockHeld' }, session);
      await waitFor('the end of the idle session', () => Promise.resolve(idle() === 0));
    }
    await owner.end();
    await tenant.remove();
  } finally {
    await live.close();
  }
});
