import { Trouble } from '../errors.ts';
import type { TenantQuery } from '../reconcile/ports.ts';

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** PostgreSQL cuts a longer name off, and so would look for another one. */
const mostBytes = 63;

/**
 * The query, if PostgreSQL can be asked it. Queries of many tenants share one statement: a single value that the server
 * cannot read would make it fail for all of them. Throws `NameInvalid`.
 */
export function checkedQuery(query: TenantQuery): TenantQuery {
  if (!uuid.test(query.tenantUid)) throw new Trouble('NameInvalid', 'the UID of the Tenant is not a UUID');
  checkName('database', query.databaseName);
  checkName('role', query.roleName);
  return query;
}

/** The same for names of extensions. */
export function checkedExtensions(names: readonly string[]): readonly string[] {
  for (const name of names) checkName('extension', name);
  return names;
}

function checkName(kind: string, name: string): void {
  if (!name.includes('\0') && Buffer.byteLength(name) <= mostBytes) return;
  throw new Trouble('NameInvalid', `a ${kind} name holds a NUL or is longer than ${mostBytes} bytes`);
}
