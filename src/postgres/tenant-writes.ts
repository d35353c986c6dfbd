import type { TenantWrites } from '../reconcile/ports.ts';
import { claim } from './claim.ts';
import { createDatabase, forgetDatabase } from './databases.ts';
import { installExtension } from './extensions.ts';
import { LongStatements } from './long-statements.ts';
import { openDatabase } from './open-database.ts';
import { moveToInstance, reopenRetained, retain } from './retain.ts';
import { createRole, repairRole, setPassword } from './roles.ts';
import type { ServerContext } from './server-context.ts';
import { close, dropDatabase, dropRole, release, tombstone } from './teardown.ts';

/** The write steps of one server. `now`: milliseconds of a clock that only goes forward. */
export function tenantWrites(server: ServerContext, now: () => number): TenantWrites {
  const long = new LongStatements(now);
  return {
    claim: (tenant, owner) => claim(server, tenant, owner),
    createRole: (tenant, password, limit) => createRole(server, tenant, password, limit),
    repairRole: (tenant, repair) => repairRole(server, tenant, repair),
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
