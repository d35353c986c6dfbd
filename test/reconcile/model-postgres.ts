import type { DatabaseView, RoleView, TenantCatalog } from '../../src/domain/catalog.ts';
import { registryVersion, type RegistryView } from '../../src/domain/server.ts';
import { Trouble } from '../../src/errors.ts';
import type {
  RegistryWrites,
  ServerObservation,
  ServerTarget,
  SessionResult,
  TenantQuery,
} from '../../src/reconcile/ports.ts';
import type { ModelDatabase, ModelRole, ModelState } from './model-state.ts';
import { tombstoneName } from './model-writes.ts';
import { without } from './without.ts';

const copy = <T>(value: T): Promise<T> => Promise.resolve(structuredClone(value));

const roleView = (role: ModelRole | undefined): RoleView | null => {
  return role === undefined ? null : without(role, 'password');
};

/** What can be seen of the model server. */
export function modelObservation(state: ModelState, target: ServerTarget): ServerObservation {
  const { postgres } = state;
  const databaseView = (database: ModelDatabase | undefined): DatabaseView | null => {
    if (database === undefined) return null;
    const view = without(database, 'extensions');
    return { ...view, ownerName: postgres.roles[view.ownerOid]?.name ?? `unknown (OID=${view.ownerOid})` };
  };
  const databaseNamed = (wanted: string) =>
    Object.values(postgres.databases).find(({ name }) => name === wanted);
  const catalogOf = (query: TenantQuery): TenantCatalog => {
    const row = postgres.rows[query.tenantUid] ?? null;
    const { databaseName, roleName } = row ?? query;
    return {
      observedAt: new Date(state.now).toISOString(),
      systemIdentifier: postgres.view.systemIdentifier,
      registeredSystemIdentifier: postgres.registry?.systemIdentifier ?? '',
      row,
      holders: Object.values(postgres.rows).filter(
        (other) =>
          other.tenantUid !== query.tenantUid &&
          (other.databaseName === databaseName || other.roleName === roleName),
      ),
      role: {
        registered: roleView(postgres.roles[row?.roleOid ?? '']),
        named: roleView(Object.values(postgres.roles).find(({ name }) => name === roleName)),
      },
      database: {
        registered: databaseView(postgres.databases[row?.databaseOid ?? '']),
        named: databaseView(databaseNamed(databaseName)),
        tombstone: databaseView(databaseNamed(tombstoneName(query.tenantUid))),
      },
      inFlight: postgres.inFlight,
      manager: { superuser: postgres.view.superuser, entersDatabases: postgres.view.superuser },
    };
  };
  return {
    server: () => copy(postgres.view),
    registry: () => copy(registryView(state, target.instanceUid)),
    tenant: (query) =>
      postgres.registry === null
        ? Promise.reject(new Trouble('RegistryMissing', 'there is no registry yet'))
        : copy(catalogOf(query)),
    extensions: (names) => copy(postgres.offers.filter(({ name }) => names.includes(name))),
    blockers: () => copy(postgres.blockers),
    session: async (tenant, password, wanted): Promise<SessionResult> => {
      const database = postgres.databases[tenant.databaseOid ?? ''];
      const role = postgres.roles[tenant.roleOid ?? ''];
      if (database?.name !== tenant.databaseName) throw new Trouble('StaleDecision', 'another database');
      if (!database.allowConnections || role?.canLogin !== true) throw new Trouble('LoginRefused', 'closed');
      if (role.password !== password.reveal()) return { kind: 'rejected' };
      if (postgres.catalogLocked === true) return { kind: 'authenticated', locked: true };
      const offers = postgres.offers.filter(({ name }) => wanted.includes(name));
      return copy({ kind: 'proven', extensions: database.extensions, offers, pristine: true } as const);
    },
  };
}

function registryView({ postgres }: ModelState, instanceUid: string): RegistryView {
  const active = Object.values(postgres.rows).filter(
    (row) => row.instanceUid === instanceUid && row.state === 'Active',
  );
  const installation = postgres.instances[instanceUid];
  return {
    schemaVersion: postgres.registry?.schemaVersion ?? null,
    minCompatibleVersion: postgres.registry === null ? null : 1,
    systemIdentifier: postgres.registry?.systemIdentifier ?? null,
    instance: installation === undefined ? null : { installation },
    activeTenants: {
      count: active.length,
      first: active.slice(0, 3).map(({ namespace, name }) => `${namespace}/${name}`),
    },
  };
}

export const modelRegistry = ({ postgres }: ModelState, target: ServerTarget): RegistryWrites => ({
  migrate: () => {
    const systemIdentifier = postgres.registry?.systemIdentifier ?? postgres.view.systemIdentifier ?? '';
    postgres.registry = { schemaVersion: registryVersion, systemIdentifier };
    return Promise.resolve();
  },
  registerInstance: () => {
    postgres.instances[target.instanceUid] ??= target.installation;
    return Promise.resolve();
  },
  acceptServer: (from) => {
    const { registry, view } = postgres;
    if (registry?.systemIdentifier !== from) throw new Trouble('StaleDecision', 'yet another server');
    registry.systemIdentifier = view.systemIdentifier ?? '';
    return Promise.resolve();
  },
  releaseInstance: () => {
    const { instanceUid } = target;
    const active = Object.values(postgres.rows).some(
      (row) => row.instanceUid === instanceUid && row.state === 'Active',
    );
    if (active) return Promise.resolve(false);
    postgres.instances = Object.fromEntries(
      Object.entries(postgres.instances).filter(([uid]) => uid !== instanceUid),
    );
    return Promise.resolve(true);
  },
});
