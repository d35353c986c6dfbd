import type {
  RegistryWrites,
  Server,
  ServerObservation,
  ServerTarget,
  Servers,
  TenantWrites,
} from '../reconcile/ports.ts';
import { timed, type Call, type Timed } from './call.ts';

export const postgresOperations = [
  'observe_server',
  'observe_registry',
  'observe_tenant',
  'observe_extensions',
  'observe_blockers',
  'check_login',
  'change_registry',
  'change_tenant',
] as const;
export type PostgresOperation = (typeof postgresOperations)[number];

/** Who hears of calls of PostgreSQL. */
export interface ServersObserver {
  called(target: ServerTarget, call: Call<PostgresOperation>): void;
  forgot(instanceUid: string): void;
}

/** The same servers; each call is told of, with the time that it waited for a connection. */
export function measuredServers(servers: Servers, observer: ServersObserver): Servers {
  const measured = new WeakMap<Server, Server>();
  return {
    of(target) {
      const server = servers.of(target);
      const known = measured.get(server) ?? measuredServer(server, (call) => observer.called(target, call));
      measured.set(server, known);
      return known;
    },
    forget(instanceUid) {
      servers.forget(instanceUid);
      observer.forgot(instanceUid);
    },
  };
}

function measuredServer(server: Server, tell: (call: Call<PostgresOperation>) => void): Server {
  const time = timed(tell);
  return {
    observe: measuredObservation(server.observe, time),
    registry: measuredRegistry(server.registry, (call) => time('change_registry', call)),
    tenants: measuredTenants(server.tenants, (call) => time('change_tenant', call)),
  };
}

const measuredObservation = (
  observe: ServerObservation,
  time: Timed<PostgresOperation>,
): ServerObservation => ({
  server: () => time('observe_server', () => observe.server()),
  registry: () => time('observe_registry', () => observe.registry()),
  tenant: (query) => time('observe_tenant', () => observe.tenant(query)),
  extensions: (names) => time('observe_extensions', () => observe.extensions(names)),
  blockers: (tenant) => time('observe_blockers', () => observe.blockers(tenant)),
  session: (tenant, password, wanted) => time('check_login', () => observe.session(tenant, password, wanted)),
});

/** Steps are told of by name where they are taken, so that one name for all writes is enough here. */
type Change = <T>(call: () => Promise<T>) => Promise<T>;

const measuredRegistry = (registry: RegistryWrites, change: Change): RegistryWrites => ({
  migrate: () => change(() => registry.migrate()),
  registerInstance: () => change(() => registry.registerInstance()),
  acceptServer: (from) => change(() => registry.acceptServer(from)),
  releaseInstance: () => change(() => registry.releaseInstance()),
});

const measuredTenants = (tenants: TenantWrites, change: Change): TenantWrites => ({
  claim: (tenant, owner) => change(() => tenants.claim(tenant, owner)),
  createRole: (tenant, password, limit) => change(() => tenants.createRole(tenant, password, limit)),
  repairRole: (tenant, repair) => change(() => tenants.repairRole(tenant, repair)),
  returnMembership: (tenant) => change(() => tenants.returnMembership(tenant)),
  setPassword: (tenant, password) => change(() => tenants.setPassword(tenant, password)),
  createDatabase: (tenant) => change(() => tenants.createDatabase(tenant)),
  openDatabase: (tenant) => change(() => tenants.openDatabase(tenant)),
  installExtension: (tenant, password, extension) =>
    change(() => tenants.installExtension(tenant, password, extension)),
  forgetDatabase: (tenant) => change(() => tenants.forgetDatabase(tenant)),
  moveToInstance: (tenant, from) => change(() => tenants.moveToInstance(tenant, from)),
  retain: (tenant) => change(() => tenants.retain(tenant)),
  close: (tenant) => change(() => tenants.close(tenant)),
  reopenRetained: (tenant) => change(() => tenants.reopenRetained(tenant)),
  tombstone: (tenant) => change(() => tenants.tombstone(tenant)),
  dropDatabase: (tenant) => change(() => tenants.dropDatabase(tenant)),
  dropRole: (tenant) => change(() => tenants.dropRole(tenant)),
  release: (tenant) => change(() => tenants.release(tenant)),
});
