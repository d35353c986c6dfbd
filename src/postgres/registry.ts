import { z } from 'zod';

import type { RegistryWrites } from '../reconcile/ports.ts';
import { acceptServer } from './accept-server.ts';
import type { Connection } from './connection.ts';
import { withTranslation } from './errors.ts';
import { migrateRegistry } from './registry-migrations.ts';
import { metaRowLost, registryPresence } from './registry-presence.ts';
import type { ServerContext } from './server-context.ts';
import { sql } from './sql.ts';
import { fillInSystem } from './system-identifier.ts';
import { inTransaction } from './transaction.ts';

const present = z.object({});

/** The writes to the registry that belong to an Instance, not to one tenant. */
export function registryWrites(server: ServerContext): RegistryWrites {
  const lend = <T>(work: (connection: Connection) => Promise<T>) =>
    withTranslation(() => server.backends.lend(work));
  return {
    migrate: () => lend(migrateRegistry),
    registerInstance: () => lend((connection) => registerInstance(connection, server)),
    acceptServer: (from) => lend((connection) => acceptServer(connection, from)),
    releaseInstance: () =>
      lend((connection) =>
        inTransaction(connection, () => releaseInstance(connection, server.target.instanceUid)),
      ),
  };
}

async function registerInstance(connection: Connection, { target }: ServerContext): Promise<void> {
  if ((await registryPresence(connection)) === 'empty') throw metaRowLost();
  await connection.run(sql`
    insert into pgtenancy.instance (instance_uid, installation)
    values (${target.instanceUid}::uuid, ${target.installation})
    on conflict (instance_uid) do nothing`);
  await fillInSystem(connection);
}

/** The row lock waits for claims, which hold the row `for key share`, and keeps new ones out until the commit. */
async function releaseInstance(connection: Connection, instanceUid: string): Promise<boolean> {
  const exists = await connection.rows(
    present,
    sql`select from pgtenancy.instance i where i.instance_uid = ${instanceUid}::uuid for update`,
  );
  if (exists.length === 0) return true;
  const active = await connection.rows(
    present,
    sql`select from pgtenancy.tenant t where t.instance_uid = ${instanceUid}::uuid and t.state = 'Active' limit 1`,
  );
  if (active.length > 0) return false;
  await connection.run(sql`delete from pgtenancy.instance i where i.instance_uid = ${instanceUid}::uuid`);
  return true;
}
