import { Trouble } from '../errors.ts';
import type { Connection } from './connection.ts';
import { sql } from './sql.ts';

/**
 * Runs work in one transaction. A `Trouble` from inside rolls it back; any other error is left to the owner of the
 * connection, who closes it. An error of the commit itself says nothing about its outcome.
 */
export async function inTransaction<T>(connection: Connection, work: () => Promise<T>): Promise<T> {
  await connection.run(sql`begin`);
  let result: T;
  try {
    result = await work();
  } catch (error) {
    if (error instanceof Trouble) await connection.run(sql`rollback`);
    throw error;
  }
  try {
    await connection.run(sql`commit`);
  } catch {
    throw new Trouble(
      'InstanceUnreachable',
      'the connection broke while a change was being committed; it is looked at again',
      {
        outcomeUnknown: true,
      },
    );
  }
  return result;
}
