import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { defaultLimits } from '../../src/postgres/limits.ts';
import { connectionConfig, managementLogin } from '../../src/postgres/connection-config.ts';
import { type LiveServer, startLiveServer } from './live-server.ts';

describe('a server that answers a commit before it is on disk', () => {
  let live: LiveServer;
  before(async () => {
    live = await startLiveServer({ settings: { synchronous_commit: 'off' } });
  });
  after(() => live.close());

  it('does not do so for the management login, whatever its role is set to', async () => {
    await live.admin(`alter role ${live.target.username} set synchronous_commit = off`);
    const login = managementLogin(live.target, 'pgtenancy', 1_000);
    const { options } = connectionConfig(live.target, login, defaultLimits);
    const setting = async (more: { options?: string }) => {
      const session = await live.connect(more as object);
      const { rows } = await session.query<{ value: string }>(
        `select current_setting('synchronous_commit') as value`,
      );
      await session.end();
      return rows[0]?.value;
    };
    assert.equal(await setting({}), 'off');
    assert.equal(await setting({ options: options ?? '' }), 'on');
  });
});
