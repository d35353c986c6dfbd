import { z } from 'zod';

import type { RegistryView } from '../domain/server.ts';
import type { Connection } from './connection.ts';
import { metaRowLost, registryPresence } from './registry-presence.ts';
import { sql } from './sql.ts';
import { knownSystem } from './system-identifier.ts';

const registryRow = z.object({
  schemaVersion: z.int(),
  minCompatibleVersion: z.int(),
  systemIdentifier: z.string(),
  installation: z.string().nullable(),
  count: z.int(),
  first: z.array(z.string()),
});

const none: RegistryView = {
  schemaVersion: null,
  minCompatibleVersion: null,
  systemIdentifier: null,
  instance: null,
  activeTenants: { count: 0, first: [] },
};

/**
 * What the registry says of itself and of this Instance. One that was emptied to its last tenant and its meta row counts
 * as none: it can be made again without a loss. Throws `RegistryMissing` for one that lost a part of what it had.
 */
export async function readRegistryView(connection: Connection, instanceUid: string): Promise<RegistryView> {
  if ((await registryPresence(connection)) !== 'whole') return none;
  const [row] = await connection.rows(
    registryRow,
    sql`
      select m.schema_version as "schemaVersion",
             m.min_compatible_version as "minCompatibleVersion",
             m.system_identifier as "systemIdentifier",
             (select i.installation from pgtenancy.instance i where i.instance_uid = ${instanceUid}::uuid) as "installation",
             (select count(*)::integer from pgtenancy.tenant t
               where t.instance_uid = ${instanceUid}::uuid and t.state = 'Active') as "count",
             array(select t.namespace || '/' || t.name from pgtenancy.tenant t
                    where t.instance_uid = ${instanceUid}::uuid and t.state = 'Active'
                    order by t.namespace, t.name limit 5) as "first"
        from pgtenancy.meta m`,
  );
  if (row === undefined) throw metaRowLost();
  const { installation, count, first, ...meta } = row;
  return {
    ...meta,
    systemIdentifier: knownSystem(meta.systemIdentifier),
    instance: installation === null ? null : { installation },
    activeTenants: { count, first },
  };
}
