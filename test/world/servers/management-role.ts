import { readFile } from 'node:fs/promises';

import type pg from 'pg';

import { connectedClient } from './connected-client.ts';
import type { Postgres } from './postgres.ts';
import { statementsIn } from './psql-script.ts';

/** How the operator logs in. */
export interface ManagementRole {
  readonly username: string;
  readonly password: string;
  readonly adminRole: string | undefined;
  readonly managementDatabase: string;
}

/** What docs/management-role/group.sql calls the group and its database. */
export const recommended = { adminRole: 'pgtenancy_admin', managementDatabase: 'pgtenancy' } as const;

/** The files in docs/management-role. */
type Variant = 'group' | 'next-login' | 'single-login' | 'optional';

const password = 'management-password-7f3a';

/** TLS of the session that sets things up, as `pg` takes it. */
type Ssl = pg.ClientConfig['ssl'];

/** The recommended role: a group, a login that is its member, a database of its own. */
export async function setUpManagementRole(postgres: Postgres, ssl: Ssl = false): Promise<ManagementRole> {
  await runVariant(postgres, 'group', ssl);
  return { username: 'pgtenancy_login', password, ...recommended };
}

/** The superuser in the database `postgres`, for what only a superuser can do. */
export function superuserLogin({ superuser }: Postgres): ManagementRole {
  const { name: username, password: secret } = superuser;
  return { username, password: secret, adminRole: undefined, managementDatabase: 'postgres' };
}

/** Another login of the same group. */
export async function setUpNextLogin(
  postgres: Postgres,
  ssl: Ssl = false,
): Promise<Pick<ManagementRole, 'username' | 'password'>> {
  await runVariant(postgres, 'next-login', ssl);
  return { username: 'pgtenancy_login_2', password };
}

/** The minimal variant: one login in the database `postgres`. */
export async function setUpSingleLogin(
  postgres: Postgres,
  username = 'pgtenancy_login',
): Promise<ManagementRole> {
  await runVariant(postgres, 'single-login', false, { pgtenancy_login: username });
  return { username, password, adminRole: undefined, managementDatabase: 'postgres' };
}

/** Runs what the documentation says, and nothing else; `names` replaces some that stand there. */
export async function runVariant(
  postgres: Postgres,
  variant: Variant,
  ssl: Ssl,
  names: Readonly<Record<string, string>> = {},
): Promise<void> {
  const statements = await statementsOf(variant);
  await runAsSuperuser(
    postgres,
    ssl,
    statements.map((statement) => statement.replaceAll(/\w+/g, (word) => names[word] ?? word)),
  );
}

export async function runAsSuperuser(
  { host, port, superuser }: Postgres,
  ssl: Ssl,
  statements: readonly string[],
): Promise<void> {
  const { name: user, password: secret } = superuser;
  const client = await connectedClient({ host, port, user, password: secret, database: 'postgres', ssl });
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

/** What psql makes of the file in this environment. */
export async function statementsOf(
  variant: Variant,
  env: Readonly<Record<string, string>> = { MANAGEMENT_PASSWORD: password },
): Promise<string[]> {
  const file = new URL(`../../../docs/management-role/${variant}.sql`, import.meta.url);
  return statementsIn(await readFile(file, 'utf8'), env);
}
