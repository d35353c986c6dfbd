import { DatabaseError } from 'pg';

import { Trouble } from '../errors.ts';
import type { TenantHandle } from '../reconcile/ports.ts';
import { translated } from './errors.ts';

/** SQLSTATE of a refused login -> why. PostgreSQL's own text can hold our address, which changes with every pod. */
const refusals: Readonly<Record<string, string>> = {
  '55000': 'the database does not accept connections; a database administrator allows them',
  '42501': 'the role lacks CONNECT on the database; a database administrator grants it',
};

/** What a login of the tenant that failed for another reason than its password means. */
export function loginTrouble(error: unknown, tenant: TenantHandle, proven: boolean): unknown {
  if (!(error instanceof DatabaseError)) return translated(error);
  const code = error.code ?? '';
  if (code === '3D000') return new Trouble('StaleDecision', 'the database is not there any more');
  if (code === '53300') return noConnectionLeft(tenant);
  const why = code === '28000' ? authorizationRefusal(proven) : refusals[code];
  if (why === undefined) return translated(error);
  return new Trouble(
    'LoginRefused',
    `role "${tenant.roleName}" cannot log in to database "${tenant.databaseName}": ${why}`,
  );
}

export const noConnectionLeft = ({ roleName, databaseName }: TenantHandle): Trouble =>
  new Trouble(
    'LoginDelayed',
    `role "${roleName}" has no connection left to database "${databaseName}" (limit of the role, of the database or of the server); end some, or raise spec.connectionLimit`,
  );

/** 28000 after the password was proven is NOLOGIN; before that it is pg_hba.conf. */
const authorizationRefusal = (proven: boolean): string =>
  proven
    ? 'the role is NOLOGIN; it is given LOGIN again'
    : 'a database administrator adds a line to pg_hba.conf that lets it in with scram-sha-256';
