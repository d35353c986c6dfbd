import { DatabaseError } from 'pg';

import type { Reason } from '../domain/reasons.ts';
import { Trouble } from '../errors.ts';
import { networkTrouble } from './network-errors.ts';

/** Where an error happened: while connecting some states mean something else than in a statement. */
type Stage = 'connect' | 'statement';

interface Meaning {
  readonly reason: Reason;
  /** What to say in place of the server's primary message. */
  readonly message?: string;
  /** What to do, where the server's primary message is told. */
  readonly advice?: string;
}

const unreachable = (message: string): Meaning => ({ reason: 'InstanceUnreachable', message });
const busy = (message: string): Meaning => ({ reason: 'Busy', message });

const askLog = 'it is tried again, and the log of the server tells the database administrator more';
const giveRights =
  'a database administrator gives the management role the rights that the operator needs (docs/security.md)';
const otherName = 'create a Tenant with another name';
const registryMissing =
  'the registry does not exist in the management database; the conditions of the PostgreSQLInstance say why';
const columnLost = 'the registry has lost a column; restore schema pgtenancy from a backup';

/** SQLSTATE -> meaning (PostgreSQL, appendix A). Those that are not here are `ServerError`. */
const statementMeanings: Readonly<Record<string, Meaning>> = {
  '08000': unreachable('the connection to PostgreSQL broke; it is tried again'),
  '08003': unreachable('the connection to PostgreSQL broke; it is tried again'),
  '08006': unreachable('the connection to PostgreSQL broke; it is tried again'),
  '57P01': unreachable('PostgreSQL is shutting down or ended the session; it is tried again'),
  '57P02': unreachable('PostgreSQL ended the session after a crash; it is tried again'),
  '57P03': unreachable('PostgreSQL is starting up or shutting down; it is tried again'),
  '57P05': unreachable('PostgreSQL ended the session because it was idle; it is tried again'),
  '53200': unreachable('PostgreSQL is out of memory; it is tried again'),
  '53300': unreachable(
    'PostgreSQL has no connection left for the management login; end sessions, or raise max_connections or the limit of the login',
  ),
  '25006': { reason: 'StandbyDetected', message: 'the server is read-only; give the address of the primary' },
  '25P03': unreachable('PostgreSQL ended the transaction because it was idle; it is tried again'),
  '25P04': unreachable('PostgreSQL ended the transaction because it took too long; it is tried again'),
  '57014': {
    reason: 'ServerError',
    message:
      'a statement took longer than its time limit and was cancelled; it is tried again, and pg_stat_activity shows what is slow or locked',
  },
  '55P03': busy('a lock in PostgreSQL is held elsewhere'),
  '40P01': busy('PostgreSQL resolved a deadlock; the step is tried again'),
  '40001': busy('PostgreSQL met a concurrent change; the step is tried again'),
  '42501': { reason: 'PermissionDenied', advice: giveRights },
  '42P01': { reason: 'RegistryMissing', message: registryMissing },
  // Columns of the catalogs are the same in all versions that are served; those of the registry are its migrations'.
  '42703': { reason: 'RegistryMissing', message: columnLost },
  '3F000': { reason: 'RegistryMissing', message: registryMissing },
  '23514': {
    reason: 'NameInvalid',
    message: `a name or value does not fit the rules of the registry; ${otherName}`,
  },
  '42602': { reason: 'NameInvalid', advice: otherName },
  '42622': { reason: 'NameInvalid', advice: otherName },
  '42939': { reason: 'NameReserved', advice: otherName },
};

/** While connecting as the management login. */
const connectMeanings: Readonly<Record<string, Meaning>> = {
  '28P01': {
    reason: 'AuthenticationFailed',
    message:
      'the server refuses user name or password of the management login; put the right ones into the management Secret',
  },
  '28000': {
    reason: 'AuthenticationFailed',
    message:
      'the server refuses the management login; a database administrator gives it LOGIN, or a line in pg_hba.conf that lets it in with scram-sha-256',
  },
  '55000': {
    reason: 'ManagementDatabaseMissing',
    message:
      'the management database (spec.managementDatabase) does not accept connections; a database administrator allows them',
  },
  '08P01': {
    reason: 'PoolerDetected',
    message:
      'the startup options are refused, as connection poolers do; give the address of the server itself in spec.host, spec.hostAddress and spec.port',
  },
};

/**
 * Concurrent DDL on one shared catalog row: harmless and over in a moment (seen in 50 % of such clashes). Told by the
 * function that reports it, or by its text.
 */
const concurrentChange = {
  routines: ['simple_heap_update', 'simple_heap_delete', 'DropRole'],
  text: /^tuple concurrently (?:updated|deleted)$|^could not find tuple for role/,
} as const;

/**
 * Turns an error of pg or of the network into `Trouble`; a `Trouble` stays as it is, and what is neither is returned
 * unchanged because it is a bug. The message holds no statement, no DETAIL, no secret, and nothing that changes by
 * itself, because it goes into a condition.
 */
export function translated(error: unknown, stage: Stage = 'statement'): unknown {
  if (error instanceof Trouble) return error;
  if (!(error instanceof DatabaseError)) return networkTrouble(error) ?? error;
  const code = error.code ?? '';
  if (code === 'XX000' && isConcurrentChange(error)) {
    return new Trouble('Busy', 'another session changed the same object in PostgreSQL', busyAgain);
  }
  const meaning = (stage === 'connect' ? connectMeanings[code] : undefined) ?? statementMeanings[code];
  if (meaning === undefined)
    return new Trouble('ServerError', `PostgreSQL says ${code}: ${printable(error.message)}; ${askLog}`);
  const message =
    meaning.message ?? `PostgreSQL says: ${printable(error.message)}; ${meaning.advice ?? askLog}`;
  return new Trouble(meaning.reason, message, meaning.reason === 'Busy' ? busyAgain : {});
}

/** A text of the server, as a condition may hold it: tenants choose names in it, and whoever reads it has a terminal. */
export const printable = (text: string): string => text.replaceAll(/[\p{Cc}\p{Cf}]+/gu, ' ');

const isConcurrentChange = ({ routine, message }: DatabaseError): boolean =>
  concurrentChange.routines.some((name) => name === routine) || concurrentChange.text.test(message);

/** Seconds until a lock or a slot is worth another try. */
export const busyAgain = { retryAfterSeconds: 2 } as const;

/** The SQLSTATE of an error that the server sent, if it is one. */
export const sqlState = (error: unknown): string | undefined =>
  error instanceof DatabaseError ? error.code : undefined;

/** The function of the server's source that sent the error: it tells apart what one SQLSTATE covers. */
export const sqlRoutine = (error: unknown): string | undefined =>
  error instanceof DatabaseError ? error.routine : undefined;

/** Runs work and lets only `Trouble` (or a bug) out of it. */
export async function withTranslation<T>(work: () => Promise<T>, stage?: Stage): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw translated(error, stage);
  }
}
