import { DatabaseError } from 'pg';

import { Trouble } from '../errors.ts';
import type { TenantHandle } from '../reconcile/ports.ts';
import { translated } from './errors.ts';

/** SQLSTATE of a refused login -> why. PostgreSQL's own text can hold our address, which changes with every pod. */
const refusals: Readonly<Record<string, string>> = {
  '55000': 'the database does not accept connections',
  '42501': 'the role lacks CONNECT on the database',
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
    `role "${roleName}" has no connection left to database "${databaseName}": limit of the role, of the database or of the server`,
  );

/** 28000 after the password was proven is NOLOGIN; before that it is pg_hba.conf. */
const authorizationRefusal = (proven: boolean): string =>
  proven ? 'the role is NOLOGIN' : 'pg_hba.conf has no entry that lets it in, or rejects it';
