import { Trouble } from '../../src/errors.ts';
import type { ServerTarget, TenantHandle, TenantWrites } from '../../src/reconcile/ports.ts';
import type { ModelDatabase, ModelRole, ModelState } from './model-state.ts';
import { without } from './without.ts';

export const tombstoneName = (uid: string): string => `pto_drop_${uid}`;

/** Older decisions are refused, as the write transactions do. */
const decisionMilliseconds = 12_000;

const stale = (message: string) => new Trouble('StaleDecision', message);

type Postgres = ModelState['postgres'];
type Row = Postgres['rows'][string];

/** The write steps of a tenant, each checked under the row's lock as the real ones are. */
export class ModelWrites implements TenantWrites {
  readonly #state: ModelState;
  readonly #target: ServerTarget;

  constructor(state: ModelState, target: ServerTarget) {
    this.#state = state;
    this.#target = target;
  }

  async claim(tenant: TenantHandle, owner: { readonly namespace: string; readonly name: string }) {
    this.#requireYoung(tenant);
    const { instanceUid, installation } = this.#target;
    if (this.#pg.instances[instanceUid] === undefined) {
      throw new Trouble('InstanceNotReady', 'the Instance is not entered in the registry');
    }
    if (this.#pg.rows[tenant.tenantUid] !== undefined) return void this.#locked(tenant);
    const { databaseName, roleName, tenantUid } = tenant;
    const taken =
      Object.values(this.#pg.rows).some(
        (row) => row.databaseName === databaseName || row.roleName === roleName,
      ) ||
      this.#databaseNamed(databaseName) !== undefined ||
      Object.values(this.#pg.roles).some(({ name }) => name === roleName);
    if (taken) throw new Trouble('Conflict', 'a name is taken');
    const names = { tenantUid, installation, instanceUid, ...owner, databaseName, roleName };
    this.#pg.rows[tenantUid] = { ...names, roleOid: null, databaseOid: null, state: 'Active' };
    return Promise.resolve();
  }

  async createRole(tenant: TenantHandle, password: { reveal(): string }, connectionLimit: number) {
    const row = this.#locked(tenant);
    if (row.roleOid !== null && this.#pg.roles[row.roleOid] !== undefined) return;
    if (Object.values(this.#pg.roles).some(({ name }) => name === row.roleName)) {
      throw new Trouble('Conflict', 'another role has the name');
    }
    const oid = this.#newOid();
    const rights = {
      superuser: false,
      createDb: false,
      createRole: false,
      replication: false,
      bypassRls: false,
    };
    const role: ModelRole = {
      ...{ oid, name: row.roleName, canLogin: true, inherit: true, ...rights, connectionLimit },
      ...{ expires: false, selfGranted: false, password: password.reveal() },
    };
    this.#pg.roles[oid] = role;
    row.roleOid = oid;
    return Promise.resolve();
  }

  async repairRole(tenant: TenantHandle, repair: Parameters<TenantWrites['repairRole']>[1]) {
    const { login, inherit, neverExpires, ...rest } = repair;
    Object.assign(this.#role(this.#locked(tenant)), {
      ...rest,
      ...(login === true ? { canLogin: true } : {}),
      ...(inherit === true ? { inherit: true } : {}),
      ...(neverExpires === true ? { expires: false } : {}),
    });
    return Promise.resolve();
  }

  async returnMembership(tenant: TenantHandle) {
    this.#role(this.#locked(tenant)).selfGranted = false;
    return Promise.resolve();
  }

  async setPassword(tenant: TenantHandle, password: { reveal(): string }) {
    this.#role(this.#locked(tenant)).password = password.reveal();
    return Promise.resolve();
  }

  async createDatabase(tenant: TenantHandle) {
    const row = this.#locked(tenant);
    const role = this.#role(row);
    if (row.databaseOid !== null) throw new Trouble('DatabaseLost', 'the registered database is gone');
    const named = this.#databaseNamed(row.databaseName);
    if (named !== undefined && named.ownerOid !== role.oid) throw new Trouble('Conflict', 'not ours');
    if (named !== undefined) return;
    const oid = this.#newOid();
    this.#pg.databases[oid] = {
      ...{ oid, name: row.databaseName, ownerOid: role.oid, allowConnections: false, isTemplate: false },
      ...{ connectionLimit: -1, publicConnect: true, publicTemporary: true, extensions: [] },
    };
    return Promise.resolve();
  }

  async openDatabase(tenant: TenantHandle) {
    const row = this.#locked(tenant);
    const role = this.#role(row);
    const database = this.#own(row);
    if (database === undefined) throw stale('the database is not there');
    Object.assign(database, { ownerOid: role.oid, publicConnect: false, publicTemporary: false });
    Object.assign(database, { allowConnections: true, connectionLimit: -1, isTemplate: false });
    role.selfGranted = false;
    row.databaseOid = database.oid;
    return Promise.resolve();
  }

  async installExtension(...[tenant, , extension]: Parameters<TenantWrites['installExtension']>) {
    const database = this.#own(this.#locked(tenant));
    if (database === undefined) throw stale('the database is not there');
    if (database.extensions.some(({ name }) => name === extension.name)) return;
    database.extensions.push({
      name: extension.name,
      version: extension.version ?? '1.0',
      schema: extension.schema ?? 'public',
    });
    return Promise.resolve();
  }

  async forgetDatabase(tenant: TenantHandle) {
    const row = this.#locked(tenant);
    if (row.databaseOid !== null && this.#pg.databases[row.databaseOid] !== undefined) {
      throw stale('the registered database exists');
    }
    row.databaseOid = null;
    return Promise.resolve();
  }

  async moveToInstance(tenant: TenantHandle, fromInstanceUid: string) {
    this.#requireYoung(tenant);
    const row = this.#pg.rows[tenant.tenantUid];
    if (row?.instanceUid !== fromInstanceUid) throw stale('yet another Instance');
    row.instanceUid = this.#target.instanceUid;
    return Promise.resolve();
  }

  async retain(tenant: TenantHandle) {
    const row = this.#locked(tenant);
    Object.assign(row, { state: 'Retained', databaseOid: this.#own(row)?.oid ?? row.databaseOid });
    return Promise.resolve();
  }

  async reopenRetained(tenant: TenantHandle) {
    const row = this.#locked(tenant);
    const database = this.#own(row);
    const open = {
      name: row.databaseName,
      allowConnections: true,
      publicConnect: false,
      publicTemporary: false,
    };
    if (database !== undefined) {
      Object.assign(database, open);
      row.databaseOid = database.oid;
    }
    if (row.roleOid !== null) Object.assign(this.#pg.roles[row.roleOid] ?? {}, { canLogin: true });
    row.state = 'Retained';
    return Promise.resolve();
  }

  async close(tenant: TenantHandle) {
    const row = this.#locked(tenant);
    Object.assign(this.#own(row) ?? {}, { allowConnections: false, isTemplate: false });
    if (row.roleOid !== null) Object.assign(this.#pg.roles[row.roleOid] ?? {}, { canLogin: false });
    return Promise.resolve();
  }

  async tombstone(tenant: TenantHandle) {
    const row = this.#locked(tenant);
    const database = this.#own(row);
    if (database === undefined) return;
    if (database.allowConnections) throw stale('the database still accepts connections');
    database.name = tombstoneName(tenant.tenantUid);
    row.databaseOid = database.oid;
    return Promise.resolve();
  }

  async dropDatabase(tenant: TenantHandle) {
    const row = this.#locked(tenant);
    const database = this.#databaseNamed(tombstoneName(tenant.tenantUid));
    if (database === undefined) return;
    if (database.oid !== row.databaseOid) throw new Trouble('Conflict', 'not the registered one');
    this.#pg.databases = without(this.#pg.databases, database.oid);
    return Promise.resolve();
  }

  async dropRole(tenant: TenantHandle) {
    const row = this.#locked(tenant);
    if (this.#own(row) !== undefined) throw stale('the database still exists');
    if (row.roleOid !== null) this.#pg.roles = without(this.#pg.roles, row.roleOid);
    Object.assign(row, { roleOid: null, databaseOid: null });
    return Promise.resolve();
  }

  async release(tenant: TenantHandle) {
    if (this.#pg.rows[tenant.tenantUid] === undefined) return;
    const row = this.#locked(tenant);
    if (this.#own(row) !== undefined) throw stale('the database still exists');
    if (row.roleOid !== null && this.#pg.roles[row.roleOid] !== undefined)
      throw stale('the role still exists');
    this.#pg.rows = without(this.#pg.rows, tenant.tenantUid);
    return Promise.resolve();
  }

  get #pg(): Postgres {
    return this.#state.postgres;
  }

  #locked(tenant: TenantHandle): Row {
    const row = this.#pg.rows[tenant.tenantUid];
    if (row === undefined) throw stale('the registry has no row of this Tenant any more');
    this.#requireYoung(tenant);
    if (row.instanceUid !== this.#target.instanceUid || row.installation !== this.#target.installation) {
      throw new Trouble('InstanceChanged', 'the registry row belongs to another Instance or installation');
    }
    const fields = ['databaseName', 'roleName', 'roleOid', 'databaseOid'] as const;
    if (fields.some((field) => row[field] !== tenant[field])) throw stale('the registry row changed');
    return row;
  }

  #requireYoung({ observedAt }: TenantHandle): void {
    if (this.#state.now - Date.parse(observedAt) > decisionMilliseconds) throw stale('too old');
  }

  #role({ roleOid }: Row): ModelRole {
    const role = roleOid === null ? undefined : this.#pg.roles[roleOid];
    if (role === undefined) throw stale('the registered role is not there');
    return role;
  }

  #own({ databaseOid, databaseName, roleOid }: Row): ModelDatabase | undefined {
    const registered = databaseOid === null ? undefined : this.#pg.databases[databaseOid];
    const named = this.#databaseNamed(databaseName);
    return registered ?? (roleOid !== null && named?.ownerOid === roleOid ? named : undefined);
  }

  #databaseNamed(name: string): ModelDatabase | undefined {
    return Object.values(this.#pg.databases).find((database) => database.name === name);
  }

  #newOid(): string {
    this.#pg.nextOid += 1;
    return String(this.#pg.nextOid);
  }
}
