import { isIP } from 'node:net';
import type { ConnectionOptions } from 'node:tls';

import type { ClientConfig } from 'pg';

import { Trouble } from '../errors.ts';
import type { ServerTarget } from '../reconcile/ports.ts';
import type { Secret } from '../secret.ts';
import { checkedCaBundle } from './ca-bundle.ts';
import { answerGraceMs, type Limits } from './limits.ts';

/** Who logs in to which database, and what the server shows of it in `pg_stat_activity`. */
export interface Login {
  readonly username: string;
  readonly password: Secret;
  readonly database: string;
  /** The role that the session switches to; undefined: none, whatever the database's settings say. */
  readonly role: string | undefined;
  readonly applicationName: string;
  readonly statementMs: number;
  /** The server's major version; 0: not known yet. */
  readonly serverMajor: number;
}

/** The management login in the management database. */
export function managementLogin(target: ServerTarget, applicationName: string, statementMs: number): Login {
  const { username, password, managementDatabase: database, adminRole: role } = target;
  return { username, password, database, role, applicationName, statementMs, serverMajor: 0 };
}

/**
 * A complete configuration for node-postgres. Every field is set, because each one left out is taken from a `PG*`
 * variable of the environment. Throws `InvalidCABundle`, and `ManagementSecretInvalid` for an empty login.
 */
export function connectionConfig(target: ServerTarget, login: Login, limits: Limits): ClientConfig {
  if (login.username === '' || login.password.reveal() === '') {
    throw new Trouble('ManagementSecretInvalid', 'the user name or the password is empty');
  }
  const config = {
    // pg overwrites the TLS server name by a host that is a name, so an address must be dialled as the host itself.
    host: target.hostAddress ?? target.host,
    port: target.port,
    user: login.username,
    password: login.password.reveal(),
    database: login.database,
    ssl: tlsOptions(target),
    sslnegotiation: 'postgres' as const,
    application_name: login.applicationName,
    client_encoding: 'UTF8',
    // Not in pg's types; PGREPLICATION of the environment would turn the session into a replication one.
    replication: 'false',
    options: startupOptions(login, limits),
    connectionTimeoutMillis: limits.connectMs,
    query_timeout: login.statementMs + answerGraceMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  };
  return config;
}

/** libpq's words for the modes; Node's words for the options. */
function tlsOptions({ tls, host }: ServerTarget): false | ConnectionOptions {
  if (tls.mode === 'disable') return false;
  const base: ConnectionOptions = { minVersion: 'TLSv1.2', ...(isIP(host) === 0 && { servername: host }) };
  if (tls.mode === 'require') return { ...base, rejectUnauthorized: false };
  const verified = tls.ca === undefined ? base : { ...base, ca: checkedCaBundle(tls.ca) };
  return tls.mode === 'verify-ca' ? { ...verified, checkServerIdentity: () => undefined } : verified;
}

/**
 * Settings that win over whatever a tenant set on its database or role: a planted search path or preload library, a
 * read-only default, another role, a time limit of a millisecond. The date settings make `timestamptz` texts comparable
 * between connections.
 */
function startupOptions(login: Login, limits: Limits): string {
  const settings = {
    search_path: 'pg_catalog,pg_temp',
    role: login.role ?? 'none',
    local_preload_libraries: '',
    default_transaction_read_only: 'off',
    default_transaction_isolation: 'read committed',
    default_transaction_deferrable: 'off',
    // A commit that we answer upon must outlive a crash of the server.
    synchronous_commit: 'on',
    statement_timeout: String(login.statementMs),
    lock_timeout: String(limits.lockMs),
    // 17 and newer; an option that the server does not know would end the session.
    ...(login.serverMajor >= 17 && { transaction_timeout: '0' }),
    idle_in_transaction_session_timeout: String(limits.readMs),
    // Of a replica that was frozen; pooled sessions are closed well before.
    idle_session_timeout: String(2 * limits.idleMs),
    tcp_user_timeout: '0',
    exit_on_error: 'off',
    standard_conforming_strings: 'on',
    client_encoding: 'UTF8',
    datestyle: 'ISO,YMD',
    timezone: 'UTC',
  };
  return Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${escapeOption(value)}`)
    .join(' ');
}

/** The server splits the options at white space; a backslash keeps the next character (PostgreSQL, `pg_split_opts`). */
const escapeOption = (value: string): string => value.replaceAll(/[\\\s]/g, String.raw`\$&`);
