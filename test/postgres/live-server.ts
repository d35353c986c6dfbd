import { randomBytes, randomUUID } from 'node:crypto';
import { describe } from 'node:test';

import type { Client } from 'pg';

import type { TenantCatalog } from '../../src/domain/catalog.ts';
import type { Limits } from '../../src/postgres/limits.ts';
import { createServers } from '../../src/postgres/servers.ts';
import type { Server, ServerTarget, TenantHandle } from '../../src/reconcile/ports.ts';
import { Secret } from '../../src/secret.ts';
import { connectedClient } from '../world/servers/connected-client.ts';
import {
  type ManagementRole,
  setUpManagementRole,
  setUpSingleLogin,
  superuserLogin,
} from '../world/servers/management-role.ts';
import { type Postgres, type PostgresOptions, startPostgres } from '../world/servers/postgres.ts';

/** As whom the operator works: with all rights, with the fewest, or with the fewest through a group. */
export type RoleKind = 'superuser' | 'limited' | 'adminRole';
export const roleKinds: readonly RoleKind[] = ['superuser', 'limited', 'adminRole'];

/** A suite that runs with all rights, and with the fewest: the test fails where one of them lacks something. */
export function describeAsEach(
  title: string,
  suite: (role: RoleKind) => void,
  roles: readonly RoleKind[] = ['superuser', 'adminRole'],
): void {
  for (const role of roles) describe(`${title}, as ${role}`, () => suite(role));
}

/** Makes the management role on a server, as the documentation says. */
export async function managementRole(postgres: Postgres, kind: RoleKind): Promise<ManagementRole> {
  if (kind === 'adminRole') return await setUpManagementRole(postgres);
  return kind === 'limited' ? await setUpSingleLogin(postgres) : superuserLogin(postgres);
}

/** The same as a part of the adapter's target. */
export const targetOf = ({ password, ...role }: ManagementRole): Partial<ServerTarget> => ({
  ...role,
  password: new Secret(password),
});

/** A real PostgreSQL with a registry and one registered Instance, and the adapter in front of it. */
export class LiveServer {
  readonly postgres: Postgres;
  readonly target: ServerTarget;
  readonly servers: ReturnType<typeof createServers>;

  constructor(postgres: Postgres, more: Partial<ServerTarget> = {}, limits: Partial<Limits> = {}) {
    this.postgres = postgres;
    this.target = {
      instanceUid: randomUUID(),
      instanceName: 'live',
      installation: 'test',
      host: postgres.host,
      hostAddress: undefined,
      port: postgres.port,
      managementDatabase: 'postgres',
      tls: { mode: 'disable', ca: undefined },
      username: postgres.superuser.name,
      password: new Secret(postgres.superuser.password),
      adminRole: undefined,
      maxConnections: 4,
      ...more,
    };
    this.servers = createServers(limits);
  }

  get server(): Server {
    return this.servers.of(this.target);
  }

  /** The management role's name. */
  get manager(): string {
    return this.target.adminRole ?? this.target.username;
  }

  async register(): Promise<void> {
    await this.server.registry.migrate();
    await this.server.registry.registerInstance();
  }

  /** One statement as the superuser, outside of the adapter. */
  async admin<Row extends object = Record<string, unknown>>(
    text: string,
    values: unknown[] = [],
    database = this.target.managementDatabase,
  ): Promise<Row[]> {
    const client = await this.connect({ database });
    try {
      return (await client.query<Row>(text, values)).rows;
    } finally {
      await client.end();
    }
  }

  /** A session of somebody else; the superuser when nothing else is said. The caller ends it. */
  async connect(login: { user?: string; password?: string; database?: string } = {}): Promise<Client> {
    return connectedClient({
      host: this.postgres.host,
      port: this.postgres.port,
      user: this.postgres.superuser.name,
      password: this.postgres.superuser.password,
      database: 'postgres',
      ssl: false,
      connectionTimeoutMillis: 5_000,
      statement_timeout: 20_000,
      ...login,
    });
  }

  async close(): Promise<void> {
    await this.servers.close();
    await this.postgres.close();
  }
}

export async function startLiveServer(
  { role = 'superuser', ...options }: PostgresOptions & { readonly role?: RoleKind } = {},
  more: Partial<ServerTarget> = {},
  limits: Partial<Limits> = {},
): Promise<LiveServer> {
  const postgres = await startPostgres(options);
  const target = targetOf(await managementRole(postgres, role));
  const live = new LiveServer(postgres, { ...target, ...more }, limits);
  await live.register();
  return live;
}

/** One tenant on a live server, driven step by step. */
export class LiveTenant {
  readonly live: LiveServer;
  readonly uid: string;
  readonly databaseName: string;
  readonly roleName: string;
  readonly password: Secret;

  constructor(live: LiveServer, name = `t${randomBytes(6).toString('hex')}`, same?: LiveTenant) {
    this.live = live;
    this.databaseName = name;
    this.roleName = name;
    this.uid = same?.uid ?? randomUUID();
    this.password = same?.password ?? new Secret(randomBytes(24).toString('hex'));
  }

  /** The same tenant, seen and driven by another replica. */
  through(live: LiveServer): LiveTenant {
    return new LiveTenant(live, this.databaseName, this);
  }

  get steps() {
    return this.live.server.tenants;
  }

  observe(): Promise<TenantCatalog> {
    const { uid: tenantUid, databaseName, roleName } = this;
    return this.live.server.observe.tenant({ tenantUid, databaseName, roleName });
  }

  /** A handle from a fresh observation. */
  async handle(): Promise<TenantHandle> {
    const { observedAt, row } = await this.observe();
    return {
      tenantUid: this.uid,
      databaseName: row?.databaseName ?? this.databaseName,
      roleName: row?.roleName ?? this.roleName,
      roleOid: row?.roleOid ?? null,
      databaseOid: row?.databaseOid ?? null,
      observedAt,
    };
  }

  async claim(): Promise<void> {
    await this.steps.claim(await this.handle(), { namespace: 'team', name: this.databaseName });
  }

  async createRole(): Promise<void> {
    await this.claim();
    await this.steps.createRole(await this.handle(), this.password, -1);
  }

  async createDatabase(): Promise<void> {
    await this.createRole();
    await this.steps.createDatabase(await this.handle());
  }

  /** All the way up. */
  async open(): Promise<void> {
    await this.createDatabase();
    await this.steps.openDatabase(await this.handle());
  }

  /** All the way to the row's end, from wherever it stands. */
  async remove(): Promise<void> {
    await this.steps.close(await this.handle());
    await this.steps.tombstone(await this.handle());
    await this.steps.dropDatabase(await this.handle());
    await this.steps.dropRole(await this.handle());
    await this.steps.release(await this.handle());
  }

  async session(wanted: readonly string[] = []) {
    return await this.live.server.observe.session(await this.handle(), this.password, wanted);
  }

  /** A session as the application has it. The caller ends it. */
  connect(database = this.databaseName): Promise<Client> {
    return this.live.connect({ user: this.roleName, password: this.password.reveal(), database });
  }
}
