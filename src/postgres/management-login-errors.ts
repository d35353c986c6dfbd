import { sqlName } from '../domain/sql-name.ts';
import { Trouble } from '../errors.ts';
import type { ServerTarget } from '../reconcile/ports.ts';
import { sqlRoutine, sqlState, translated } from './errors.ts';

/**
 * What a refused management login means, with the SQL that lets it in. The session would begin as adminRole, so that
 * one is checked while connecting; CONNECT is checked before that, for the login itself. `serverMajor`: 0: not known.
 */
export function managementLoginTrouble(
  error: unknown,
  target: ServerTarget,
  { database, serverMajor }: { readonly database: string; readonly serverMajor: number },
): unknown {
  const { username, adminRole } = target;
  const code = sqlState(error);
  const aboutDatabase = sqlRoutine(error) === 'CheckMyDatabase';
  if (code === '42501' && aboutDatabase) return new Trouble('RightsMissing', noConnect(target, database));
  if (code === '3D000') return missing(target, database);
  if (adminRole === undefined) return translated(error, 'connect');
  if (code === '42501') return new Trouble('AdminRoleUnusable', noMember(username, adminRole, serverMajor));
  if (code === '22023') return new Trouble('AdminRoleUnusable', noRole(username, adminRole));
  return translated(error, 'connect');
}

/** CONNECT may have come with the membership in adminRole, so that what is missing is that one. */
function noConnect({ username, adminRole }: ServerTarget, database: string): string {
  const member = adminRole === undefined ? '' : `grant ${sqlName(adminRole)} to ${sqlName(username)}; `;
  return `management login "${username}" may not connect to database "${database}"; a superuser runs: ${member}grant connect on database ${sqlName(database)} to ${sqlName(username)}`;
}

/** Also of a tenant's database, which was seen a moment ago. */
const missing = ({ adminRole, managementDatabase, username }: ServerTarget, database: string): Trouble =>
  database === managementDatabase
    ? new Trouble('ManagementDatabaseMissing', noDatabase(database, adminRole ?? username))
    : new Trouble('StaleDecision', 'the database is not there any more');

const noDatabase = (database: string, owner: string): string =>
  `database "${database}" (spec.managementDatabase) does not exist; a superuser runs: create database ${sqlName(database)} owner ${sqlName(owner)}`;

const noMember = (username: string, role: string, serverMajor: number): string =>
  `management login "${username}" may not switch to role "${role}" (spec.adminRole); a superuser runs: grant ${sqlName(role)} to ${sqlName(username)}${withSet(serverMajor)}`;

/** From version 16 on a member may be without SET, which a plain grant does not change. */
function withSet(serverMajor: number): string {
  if (serverMajor === 0) return ' with set true (before PostgreSQL 16 without "with set true")';
  return serverMajor < 16 ? '' : ' with set true';
}

const noRole = (username: string, role: string): string =>
  `role "${role}" (spec.adminRole) does not exist; a superuser runs: create role ${sqlName(role)} nologin createdb createrole; grant ${sqlName(role)} to ${sqlName(username)}`;
