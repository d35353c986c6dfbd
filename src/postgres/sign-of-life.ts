import type { Sign } from '../back-pressure/peer-gate.ts';
import { Trouble } from '../errors.ts';
import type { Backends } from './backends.ts';
import { readTenants } from './catalog.ts';
import type { Connection } from './connection.ts';
import { sqlState } from './errors.ts';
import type { Limits } from './limits.ts';

/** Locks and time limits: the server lives, and yet no read gets through. */
const heldUp: readonly unknown[] = ['55P03', '57014', '40P01'];

/**
 * Asks a server that has been silent for a sign of life: the read that every sync makes, of no tenant. It meets the
 * same locks as the real one. Any answer is life, also an error; on a new session what comes too late is death. Never
 * throws.
 */
export async function signOfLife(
  backends: Backends,
  { silentMs, connectMs }: Pick<Limits, 'silentMs' | 'connectMs'>,
): Promise<Sign> {
  // Another caller may have tried to connect already.
  const silence = backends.silence();
  if (silence !== undefined) return silence;
  if (!backends.canProbe()) return 'unsure';
  try {
    if (await backends.probeIdle(silentMs, ask)) return 'alive';
    if (!backends.canProbe()) return 'unsure';
    await backends.probeNew((connection) => within(connectMs, connection, ask));
    return 'alive';
  } catch (error) {
    return backends.silence() ?? judged(error);
  }
}

const ask = async (connection: Connection): Promise<void> => {
  await readTenants(connection, () => []);
};

const noAnswer = new Trouble('InstanceUnreachable', 'no answer in time from the server');

/** The end of the time closes the session, and so ends the work: throws `noAnswer` then. */
async function within(
  limitMs: number,
  connection: Connection,
  work: (connection: Connection) => Promise<void>,
): Promise<void> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    reject(noAnswer);
    connection.destroy();
  }, limitMs);
  try {
    await Promise.race([work(connection), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** A connect that is refused is no silence: nothing listens, or the server has no connection left for us. */
function judged(error: unknown): Sign {
  if (error === noAnswer) return noAnswer;
  const state = sqlState(error);
  if (state !== undefined) return heldUp.includes(state) ? 'unsure' : 'alive';
  return error instanceof Trouble && error.reason !== 'InstanceUnreachable' ? 'alive' : 'unsure';
}
