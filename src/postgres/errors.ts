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
}

const unreachable = (message: string): Meaning => ({ reason: 'InstanceUnreachable', message });
const busy = (message: string): Meaning => ({ reason: 'Busy', message });

/** SQLSTATE -> meaning (PostgreSQL, appendix A). Those that are not here are `ServerError`. */
const statementMeanings: Readonly<Record<string, Meaning>> = {
  '08000': unreachable('the connection to PostgreSQL broke'),
  '08003': unreachable('the connection to PostgreSQL broke'),
  '08006': unreachable('the connection to PostgreSQL broke'),
  '57P01': unreachable('PostgreSQL is shutting down or ended the session'),
  '57P02': unreachable('PostgreSQL ended the session after a crash'),
  '57P03': unreachable('PostgreSQL is starting up or shutting down'),
  '57P05': unreachable('PostgreSQL ended the session because it was idle'),
  '53200': unreachable('PostgreSQL is out of memory'),
  '53300': unreachable('PostgreSQL has no connection left for the management login'),
  '25006': { reason: 'StandbyDetected', message: 'the server is read-only' },
  '25P03': unreachable('PostgreSQL ended the transaction because it was idle'),
  '25P04': unreachable('PostgreSQL ended the transaction because it took too long'),
  '57014': {
    reason: 'ServerError',
    message: 'a statement took longer than its time limit and was cancelled',
  },
  '55P03': busy('a lock in PostgreSQL is held elsewhere'),
  '40P01': busy('PostgreSQL resolved a deadlock; the step is tried again'),
  '40001': busy('PostgreSQL met a concurrent change; the step is tried again'),
  '42501': { reason: 'PermissionDenied' },
  '42P01': { reason: 'RegistryMissing', message: 'the registry does not exist in the management database' },
  '3F000': { reason: 'RegistryMissing', message: 'the registry does not exist in the management database' },
  '23514': { reason: 'NameInvalid', message: 'a name or value does not fit the rules of the registry' },
  '42602': { reason: 'NameInvalid' },
  '42622': { reason: 'NameInvalid' },
  '42939': { reason: 'NameReserved' },
};

/** While connecting as the management login. */
const connectMeanings: Readonly<Record<string, Meaning>> = {
  '28P01': {
    reason: 'AuthenticationFailed',
    message: 'the server refuses user name or password of the management login',
  },
  '28000': {
    reason: 'AuthenticationFailed',
    message: 'the server refuses the management login: NOLOGIN, or no entry in pg_hba.conf lets it in',
  },
  '3D000': { reason: 'ManagementDatabaseMissing', message: 'the management database does not exist' },
  '55000': {
    reason: 'ManagementDatabaseMissing',
    message: 'the management database does not accept connections',
  },
  '42501': {
    reason: 'RightsMissing',
    message: 'the management login may not connect to the management database or may not switch to adminRole',
  },
  '22023': {
    reason: 'RightsMissing',
    message: 'the management login cannot switch to adminRole, which does not exist',
  },
  '08P01': { reason: 'PoolerDetected', message: 'the startup options are refused, as connection poolers do' },
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
  if (meaning === undefined) return new Trouble('ServerError', `PostgreSQL says ${code}: ${error.message}`);
  const message = meaning.message ?? `PostgreSQL says: ${error.message}`;
  return new Trouble(meaning.reason, message, meaning.reason === 'Busy' ? busyAgain : {});
}

const isConcurrentChange = ({ routine, message }: DatabaseError): boolean =>
  concurrentChange.routines.some((name) => name === routine) || concurrentChange.text.test(message);

/** Seconds until a lock or a slot is worth another try. */
export const busyAgain = { retryAfterSeconds: 2 } as const;

/** The SQLSTATE of an error that the server sent, if it is one. */
export const sqlState = (error: unknown): string | undefined =>
  error instanceof DatabaseError ? error.code : undefined;

/** Runs work and lets only `Trouble` (or a bug) out of it. */
export async function withTranslation<T>(work: () => Promise<T>, stage?: Stage): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw translated(error, stage);
  }
}
