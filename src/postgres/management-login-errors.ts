import { sqlName } from '../domain/sql-name.ts';
import { Trouble } from '../errors.ts';
import type { ServerTarget } from '../reconcile/ports.ts';
import { sqlRoutine, sqlState, translated } from './errors.ts';

/**
 * What a refused management login means, with the SQL that lets it in. The session would begin as adminRole, so that
 * one is checked while connecting; CONNECT is checked before that, for the login itself.
 */
export function managementLoginTrouble(error: unknown, target: ServerTarget, database: string): unknown {
  const { username, adminRole } = target;
  const code = sqlState(error);
  const aboutDatabase = sqlRoutine(error) === 'CheckMyDatabase';
  if (code === '42501' && aboutDatabase) return new Trouble('RightsMissing', noConnect(username, database));
  if (code === '3D000') return missing(target, database);
  if (adminRole === undefined) return translated(error, 'connect');
  if (code === '42501') return new Trouble('AdminRoleUnusable', noMember(username, adminRole));
  if (code === '22023') return new Trouble('AdminRoleUnusable', noRole(username, adminRole));
  return translated(error, 'connect');
}

const noConnect = (username: string, database: string): string =>
  `management login "${username}" may not connect to database "${database}"; a superuser runs: grant connect on database ${sqlName(database)} to ${sqlName(username)}`;

/** Also of a tenant's database, which was seen a moment ago. */
const missing = ({ adminRole, managementDatabase, username }: ServerTarget, database: string): Trouble =>
  database === managementDatabase
    ? new Trouble('ManagementDatabaseMissing', noDatabase(database, adminRole ?? username))
    : new Trouble('StaleDecision', 'the database is not there any more');

const noDatabase = (database: string, owner: string): string =>
  `database "${database}" (spec.managementDatabase) does not exist; a superuser runs: create database ${sqlName(database)} owner ${sqlName(owner)}`;

const noMember = (username: string, role: string): string =>
  `management login "${username}" may not switch to role "${role}" (spec.adminRole); a superuser runs: grant ${sqlName(role)} to ${sqlName(username)}`;

const noRole = (username: string, role: string): string =>
  `role "${role}" (spec.adminRole) does not exist; a superuser runs: create role ${sqlName(role)} nologin createdb createrole; grant ${sqlName(role)} to ${sqlName(username)}`;
