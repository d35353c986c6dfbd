import { promises as dns } from 'node:dns';
import { isDeepStrictEqual } from 'node:util';

import type { Server, ServerTarget, Servers, ServerUsage } from '../reconcile/ports.ts';
import { defaultLimits, type Limits } from './limits.ts';
import { NameLookups, type LookUp } from './name-lookups.ts';
import { PostgresServer, type ServerOptions } from './server.ts';

interface ServersOptions extends Partial<Limits>, Partial<Omit<ServerOptions, 'addressesOf'>> {
  readonly lookUp?: LookUp;
}

interface Entry {
  readonly target: ServerTarget;
  readonly server: PostgresServer;
  readonly usedAt: number;
}

interface PostgresServers extends Servers {
  /** What this replica holds on each server that it knows. */
  usage(): ServerUsage[];
  close(): Promise<void>;
}

/** Another replica may have let an Instance go; this one then only sees that nobody asks for it any more. */
const unusedMs = 1_800_000;

/**
 * The PostgreSQL adapter. One server for each Instance UID: a changed target (a rotated Secret, another address)
 * replaces the old one, whose sessions are closed as they come back. One that nobody asks for is forgotten, and with it
 * its password.
 */
export function createServers(options: ServersOptions = {}): PostgresServers {
  const {
    now = () => performance.now(),
    onConnect = () => undefined,
    lookUp = allAddresses,
    ...given
  } = options;
  const names = new NameLookups({ lookUp, now });
  const addressesOf = (host: string) => names.addressesOf(host);
  const limits = { ...defaultLimits, ...given };
  const entries = new Map<string, Entry>();
  const forget = (instanceUid: string) => {
    void entries.get(instanceUid)?.server.close();
    entries.delete(instanceUid);
  };
  /** Entries are kept in the order of their last use. */
  const forgetUnused = () => {
    for (const [instanceUid, { server, usedAt }] of entries) {
      if (now() - usedAt < unusedMs) return;
      const { inUse, calls } = server.usage;
      if (inUse + calls === 0) forget(instanceUid);
    }
  };
  const serverFor = (target: ServerTarget): PostgresServer => {
    const entry = entries.get(target.instanceUid);
    if (entry !== undefined && sameTarget(entry.target, target)) return entry.server;
    void entry?.server.close();
    return new PostgresServer(target, limits, { now, onConnect, addressesOf });
  };
  return {
    of(target: ServerTarget): Server {
      const server = serverFor(target);
      entries.delete(target.instanceUid);
      entries.set(target.instanceUid, { target, server, usedAt: now() });
      forgetUnused();
      return server;
    },
    forget,
    usage: () =>
      [...entries.values()].map(({ target, server }) => ({ instance: target.instanceName, ...server.usage })),
    async close(): Promise<void> {
      const servers = [...entries.values()].map(({ server }) => server);
      entries.clear();
      await Promise.all(servers.map((server) => server.close()));
    },
  };
}

const allAddresses: LookUp = (host) => dns.lookup(host, { all: true });

/** A `Secret` shows nothing to a comparison from outside, so it compares itself. */
function sameTarget(one: ServerTarget, other: ServerTarget): boolean {
  return (
    one.password.equals(other.password) &&
    isDeepStrictEqual({ ...one, password: undefined }, { ...other, password: undefined })
  );
}
