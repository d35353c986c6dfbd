import type { FastifyInstance } from 'fastify';

import type { Connections } from './connections.ts';

/** For a request that was on its way when the server stopped listening. */
const graceMs = 1_000;

/**
 * Bounds the end: `app.close()` waits for every open connection, also for one that says nothing or never ends its
 * handshake. Requests that came are answered, within `limitMs`; who then still holds its connection open is cut off.
 */
export function boundClosing(app: FastifyInstance, connections: Connections, limitMs: number): void {
  app.addHook('preClose', (done) => {
    const idle = setTimeout(connections.endIdle, graceMs);
    const all = setTimeout(connections.endAll, limitMs);
    app.server.once('close', () => {
      clearTimeout(idle);
      clearTimeout(all);
    });
    done();
  });
}
