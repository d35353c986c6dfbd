import { z } from 'zod';

import { sqlName } from '../domain/sql-name.ts';
import { Trouble } from '../errors.ts';
import type { Connection } from './connection.ts';
import type { FoundDatabase } from './found-objects.ts';
import { sql } from './sql.ts';

const aclShape = z.object({ publicIn: z.boolean() });
const granteeShape = z.object({ name: z.string() });

/**
 * Takes CONNECT and TEMPORARY from PUBLIC, and reads back that it worked: a revoke by a role without the right only
 * warns. What others granted to PUBLIC falls with the grant option that they have from the owner. Throws
 * `RightsMissing`.
 */
export async function shutPublicOut(connection: Connection, { name, oid }: FoundDatabase): Promise<void> {
  const database = sql.id(name);
  await connection.run(sql`revoke connect, temporary on database ${database} from public`);
  if (!(await isPublicIn(connection, oid))) return;
  const grantees = await connection.rows(
    granteeShape,
    sql`
      select distinct pg_catalog.pg_get_userbyid(a.grantee) as name
        from pg_catalog.pg_database d, pg_catalog.aclexplode(d.datacl) a
       where d.oid = ${oid}::oid and a.is_grantable and a.grantor = d.datdba and a.grantee not in (0, d.datdba)`,
  );
  for (const grantee of grantees) {
    await connection.run(sql`
      revoke grant option for connect, temporary on database ${database} from ${sql.id(grantee.name)} cascade`);
  }
  if (await isPublicIn(connection, oid)) {
    throw new Trouble(
      'RightsMissing',
      `the management role cannot revoke CONNECT on database "${name}" from PUBLIC; a superuser runs: revoke connect, temporary on database ${sqlName(name)} from public cascade`,
    );
  }
}

async function isPublicIn(connection: Connection, oid: string): Promise<boolean> {
  const { publicIn } = await connection.row(
    aclShape,
    sql`
      select exists (
               select from pg_catalog.aclexplode(coalesce(d.datacl, pg_catalog.acldefault('d', d.datdba))) a
                where a.grantee = 0 and a.privilege_type in ('CONNECT', 'TEMPORARY')) as "publicIn"
        from pg_catalog.pg_database d
       where d.oid = ${oid}::oid`,
  );
  return publicIn;
}
