import { isDeepStrictEqual } from 'node:util';

import type { Server, ServerTarget, Servers } from '../reconcile/ports.ts';
import { defaultLimits, type Limits } from './limits.ts';
import { PostgresServer } from './server.ts';

interface ServersOptions extends Partial<Limits> {
  /** Milliseconds of a clock that only goes forward; for the memory of failed connects. */
  readonly now?: () => number;
}

interface Entry {
  readonly target: ServerTarget;
  readonly server: PostgresServer;
}

/**
 * The PostgreSQL adapter. One server for each Instance UID: a changed target (a rotated Secret, another address)
 * replaces the old one, whose sessions are closed as they come back.
 */
export function createServers(options: ServersOptions = {}): Servers & { close(): Promise<void> } {
  const { now = () => performance.now(), ...given } = options;
  const limits = { ...defaultLimits, ...given };
  const entries = new Map<string, Entry>();
  return {
    of(target: ServerTarget): Server {
      const entry = entries.get(target.instanceUid);
      if (entry !== undefined && sameTarget(entry.target, target)) return entry.server;
      void entry?.server.close();
      const server = new PostgresServer(target, limits, now);
      entries.set(target.instanceUid, { target, server });
      return server;
    },
    forget(instanceUid: string): void {
      void entries.get(instanceUid)?.server.close();
      entries.delete(instanceUid);
    },
    async close(): Promise<void> {
      const servers = [...entries.values()].map(({ server }) => server);
      entries.clear();
      await Promise.all(servers.map((server) => server.close()));
    },
  };
}

/** A `Secret` shows nothing to a comparison from outside, so it compares itself. */
function sameTarget(one: ServerTarget, other: ServerTarget): boolean {
  return (
    one.password.equals(other.password) &&
    isDeepStrictEqual({ ...one, password: undefined }, { ...other, password: undefined })
  );
}
