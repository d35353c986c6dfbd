import type { PeerGate } from '../back-pressure/peer-gate.ts';
import type { ExtensionOffer, TenantCatalog } from '../domain/catalog.ts';
import type { RegistryView, ServerView } from '../domain/server.ts';
import type { ServerObservation, TenantQuery } from '../reconcile/ports.ts';
import { Batch } from './batch.ts';
import { readBlockers } from './blockers.ts';
import { readTenants } from './catalog.ts';
import type { Connection } from './connection.ts';
import { withTranslation } from './errors.ts';
import { readOffers } from './extension-offers.ts';
import { readRegistryView } from './registry-view.ts';
import type { ServerContext } from './server-context.ts';
import { readServerView } from './server-view.ts';
import { observeSession } from './session.ts';
import { checkedExtensions, checkedQuery } from './tenant-query.ts';

/** The reads of one server; each waits for it at its gate. */
export function observation(server: ServerContext, gate: PeerGate): ServerObservation {
  const lend = <T>(work: (connection: Connection) => Promise<T>) =>
    withTranslation(() => server.backends.lend(work));
  const patience = {
    patienceMs: server.limits.silentMs,
    onStuck: () => server.backends.distrustIdle(),
  };
  /** One answer for all that wait. */
  const shared = <T>(read: (connection: Connection) => Promise<T>) =>
    new Batch<undefined, T>(
      (ready) =>
        lend(async (connection) => {
          const waiting = ready();
          const answer = await read(connection);
          return waiting.map(() => answer);
        }),
      patience,
    );
  const servers = shared<ServerView>((connection) => readServerView(connection, server.target));
  const registries = shared<RegistryView>((connection) =>
    readRegistryView(connection, server.target.instanceUid),
  );
  const tenants = new Batch<TenantQuery, TenantCatalog>(
    (ready) => lend((connection) => readTenants(connection, ready)),
    patience,
  );
  const offers = new Batch<readonly string[], readonly ExtensionOffer[]>(
    (ready) =>
      lend(async (connection) => {
        const wishes = ready();
        const found = await readOffers(connection, [...new Set(wishes.flat())]);
        return wishes.map((names) => found.filter(({ name }) => names.includes(name)));
      }),
    patience,
  );
  return {
    server: () => gate.pass(() => servers.ask(undefined)),
    registry: () => gate.pass(() => registries.ask(undefined)),
    tenant: async (query) => {
      const checked = checkedQuery(query);
      return await gate.pass(() => tenants.ask(checked));
    },
    extensions: async (names) => {
      const checked = checkedExtensions(names);
      return await gate.pass(() => offers.ask(checked));
    },
    blockers: (tenant) => gate.pass(() => lend((connection) => readBlockers(connection, tenant))),
    session: (tenant, password, wanted) => gate.pass(() => observeSession(server, tenant, password, wanted)),
  };
}
