import type { ExtensionOffer, TenantCatalog } from '../domain/catalog.ts';
import type { RegistryView, ServerView } from '../domain/server.ts';
import type {
  RegistryWrites,
  Server,
  ServerObservation,
  ServerTarget,
  TenantQuery,
  TenantWrites,
} from '../reconcile/ports.ts';
import { Backends } from './backends.ts';
import { Batch } from './batch.ts';
import { readBlockers } from './blockers.ts';
import { readTenants } from './catalog.ts';
import type { Connection } from './connection.ts';
import { withTranslation } from './errors.ts';
import { readOffers } from './extension-offers.ts';
import { FailedConnect } from './failed-connect.ts';
import type { Limits } from './limits.ts';
import { readRegistryView } from './registry-view.ts';
import { registryWrites } from './registry.ts';
import { openManagement, type ServerContext } from './server-context.ts';
import { readServerView } from './server-view.ts';
import { observeSession } from './session.ts';
import { checkedExtensions, checkedQuery } from './tenant-query.ts';
import { tenantWrites } from './tenant-writes.ts';

/** One PostgreSQL server as one management login sees it. */
export class PostgresServer implements Server {
  readonly observe: ServerObservation;
  readonly registry: RegistryWrites;
  readonly tenants: TenantWrites;
  readonly #backends: Backends;

  constructor(target: ServerTarget, limits: Limits, now: () => number) {
    this.#backends = new Backends({
      max: target.maxConnections,
      idleMs: limits.idleMs,
      slotMs: limits.slotMs,
      open: () =>
        openManagement(target, limits, { applicationName: 'pgtenancy', statementMs: limits.readMs }),
      memory: new FailedConnect(limits.firstRetryMs, limits.lastRetryMs, now),
    });
    const context: ServerContext = { target, limits, backends: this.#backends };
    this.observe = observation(context);
    this.registry = registryWrites(context);
    this.tenants = tenantWrites(context, now);
  }

  /** Closes idle sessions now and the others when they come back; a running create or drop database goes on. */
  close(): Promise<void> {
    return this.#backends.retire();
  }
}

function observation(server: ServerContext): ServerObservation {
  const lend = <T>(work: (connection: Connection) => Promise<T>) =>
    withTranslation(() => server.backends.lend(work));
  /** One answer for all that wait. */
  const shared = <T>(read: (connection: Connection) => Promise<T>) =>
    new Batch<undefined, T>((ready) =>
      lend(async (connection) => {
        const waiting = ready();
        const answer = await read(connection);
        return waiting.map(() => answer);
      }),
    );
  const servers = shared<ServerView>((connection) => readServerView(connection, server.target));
  const registries = shared<RegistryView>((connection) =>
    readRegistryView(connection, server.target.instanceUid),
  );
  const tenants = new Batch<TenantQuery, TenantCatalog>((ready) =>
    lend((connection) => readTenants(connection, ready)),
  );
  const offers = new Batch<readonly string[], readonly ExtensionOffer[]>((ready) =>
    lend(async (connection) => {
      const wishes = ready();
      const found = await readOffers(connection, [...new Set(wishes.flat())]);
      return wishes.map((names) => found.filter(({ name }) => names.includes(name)));
    }),
  );
  return {
    server: () => servers.ask(undefined),
    registry: () => registries.ask(undefined),
    tenant: async (query) => await tenants.ask(checkedQuery(query)),
    extensions: async (names) => await offers.ask(checkedExtensions(names)),
    blockers: (tenant) => lend((connection) => readBlockers(connection, tenant)),
    session: (tenant, password, wanted) => observeSession(server, tenant, password, wanted),
  };
}
