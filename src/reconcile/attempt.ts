import { known, unknown, type Fact } from '../domain/fact.ts';
import { Trouble } from '../errors.ts';

/**
 * Looks, and turns known trouble into an unknown fact. `Busy` goes on (the whole request is then answered with 429),
 * and so does anything that is not `Trouble`: that is a bug.
 */
export async function attempt<T>(look: () => Promise<T>): Promise<Fact<T>> {
  try {
    return known(await look());
  } catch (error) {
    if (!(error instanceof Trouble) || error.reason === 'Busy') throw error;
    return unknown(error.reason, error.message);
  }
}
