import { randomBytes, randomUUID } from 'node:crypto';

import { Client } from 'pg';

import type { TenantCatalog } from '../../src/domain/catalog.ts';
import type { Limits } from '../../src/postgres/limits.ts';
import { createServers } from '../../src/postgres/servers.ts';
import type { Server, ServerTarget, TenantHandle } from '../../src/reconcile/ports.ts';
import { Secret } from '../../src/secret.ts';
import { type Postgres, type PostgresOptions, startPostgres } from '../world/servers/postgres.ts';

/** A real PostgreSQL with a registry and one registered Instance, and the adapter in front of it. */
export class LiveServer {
  readonly postgres: Postgres;
  readonly target: ServerTarget;
  readonly servers: ReturnType<typeof createServers>;

  constructor(postgres: Postgres, more: Partial<ServerTarget> = {}, limits: Partial<Limits> = {}) {
    this.postgres = postgres;
    this.target = {
      instanceUid: randomUUID(),
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

  async register(): Promise<void> {
    await this.server.registry.migrate();
    await this.server.registry.registerInstance();
  }

  /** One statement as the superuser, outside of the adapter. */
  async admin<Row extends object = Record<string, unknown>>(
    text: string,
    values: unknown[] = [],
    database = 'postgres',
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
    const client = new Client({
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
    client.on('error', () => undefined);
    await client.connect();
    return client;
  }

  async close(): Promise<void> {
    await this.servers.close();
    await this.postgres.close();
  }
}

export async function startLiveServer(
  options: PostgresOptions = {},
  more: Partial<ServerTarget> = {},
  limits: Partial<Limits> = {},
): Promise<LiveServer> {
  const live = new LiveServer(await startPostgres(options), more, limits);
  await live.register();
  return live;
}

/** One tenant on a live server, driven step by step. */
export class LiveTenant {
  readonly live: LiveServer;
  readonly uid = randomUUID();
  readonly databaseName: string;
  readonly roleName: string;
  readonly password = new Secret(randomBytes(24).toString('hex'));

  constructor(live: LiveServer, name = `t${randomBytes(6).toString('hex')}`) {
    this.live = live;
    this.databaseName = name;
    this.roleName = name;
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
  connect(): Promise<Client> {
    return this.live.connect({
      user: this.roleName,
      password: this.password.reveal(),
      database: this.databaseName,
    });
  }
}
