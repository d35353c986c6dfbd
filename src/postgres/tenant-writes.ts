import type { TenantWrites } from '../reconcile/ports.ts';
import { claim } from './claim.ts';
import { createDatabase, forgetDatabase } from './databases.ts';
import { dropDatabase } from './drop-database.ts';
import { dropRole, release } from './drop-role.ts';
import { installExtension } from './extensions.ts';
import type { LongStatements } from './long-statements.ts';
import { openDatabase } from './open-database.ts';
import { moveToInstance, reopenRetained, retain } from './retain.ts';
import { createRole, repairRole, returnMembership, setPassword } from './roles.ts';
import type { ServerContext } from './server-context.ts';
import { close, tombstone } from './teardown.ts';

/** The write steps of one server. */
export function tenantWrites(server: ServerContext, long: LongStatements): TenantWrites {
  return {
    claim: (tenant, owner) => claim(server, tenant, owner),
    createRole: (tenant, password, limit) => createRole(server, tenant, password, limit),
    repairRole: (tenant, repair) => repairRole(server, tenant, repair),
    returnMembership: (tenant) => returnMembership(server, tenant),
    setPassword: (tenant, password) => setPassword(server, tenant, password),
    createDatabase: (tenant) => createDatabase(server, long, tenant),
    openDatabase: (tenant) => openDatabase(server, tenant),
    installExtension: (tenant, password, extension) => installExtension(server, tenant, password, extension),
    forgetDatabase: (tenant) => forgetDatabase(server, tenant),
    moveToInstance: (tenant, from) => moveToInstance(server, tenant, from),
    retain: (tenant) => retain(server, tenant),
    close: (tenant) => close(server, tenant),
    reopenRetained: (tenant) => reopenRetained(server, tenant),
    tombstone: (tenant) => tombstone(server, tenant),
    dropDatabase: (tenant) => dropDatabase(server, long, tenant),
    dropRole: (tenant) => dropRole(server, tenant),
    release: (tenant) => release(server, tenant),
  };
}
