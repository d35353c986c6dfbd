import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { createServers } from '../../src/postgres/servers.ts';
import type { ServerTarget } from '../../src/reconcile/ports.ts';
import { freePort } from '../world/servers/free-port.ts';
import { LiveServer, startLiveServer } from './live-server.ts';

describe('what metrics hear of connects that fail', () => {
  let live: LiveServer;
  before(async () => {
    live = await startLiveServer();
  });
  after(() => live.close());

  /** An adapter with a clock that stands still, and what metrics are told of one server. */
  async function adapter(more: Partial<ServerTarget>, work: (trial: Trial) => Promise<void>): Promise<void> {
    let now = 0;
    const servers = createServers({ now: () => now });
    const server = servers.of({ ...live.target, ...more });
    try {
      await work({
        ask: () => server.observe.server(),
        advance: (ms) => (now += ms),
        failing: () => servers.usage()[0]?.connectFailed,
      });
    } finally {
      await servers.close();
    }
  }

  interface Trial {
    readonly ask: () => Promise<unknown>;
    readonly advance: (ms: number) => void;
    readonly failing: () => boolean | undefined;
  }

  it('is told at whatever moment they ask, while the server is tried every 90 seconds', async () => {
    await adapter({ port: await freePort() }, async ({ ask, advance, failing }) => {
      for (let look = 0; look < 5; look += 1) {
        await assert.rejects(ask());
        for (let read = 0; read < 6; read += 1) {
          assert.equal(failing(), true);
          advance(15_000);
        }
      }
    });
  });

  it('is over soon when this replica is not asked any more: another one may have found the server mended', async () => {
    await adapter({ port: await freePort() }, async ({ ask, advance, failing }) => {
      await assert.rejects(ask());
      advance(300_000);
      assert.equal(failing(), false);
    });
  });

  it('is nothing while a session is open, and nothing before anything was tried', async () => {
    await adapter({}, async ({ ask, failing }) => {
      assert.equal(failing(), false);
      await ask();
      assert.equal(failing(), false);
    });
  });
});
