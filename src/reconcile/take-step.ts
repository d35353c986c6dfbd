import type { Note } from '../domain/verdict.ts';
import { Trouble } from '../errors.ts';
import type { Act, Context } from './context.ts';

/** What became of the one step of a request. */
export type Taken =
  | { readonly kind: 'none' }
  /** The live object is not the one that the step was decided for. */
  | { readonly kind: 'stale' }
  | { readonly kind: 'done' }
  /** The answer's list of children is the step: Metacontroller writes, or cannot, and that takes its time. */
  | { readonly kind: 'answered' }
  | { readonly kind: 'failed'; readonly trouble: Note }
  /** Somebody else was quicker, or the decision too old: look again. */
  | { readonly kind: 'overtaken' };

/** Acts, writes the one log line, and sorts the trouble. `Busy` goes on: the request is answered with 429. */
export async function takeStep(
  { log, clock }: Context,
  about: Pick<Act, 'subject' | 'uid' | 'instance' | 'phase' | 'step' | 'detail'>,
  act: () => Promise<void>,
): Promise<Taken> {
  const started = clock.now();
  const done = (outcome: string, detail?: string) =>
    log.acted({
      ...about,
      outcome,
      ...(detail === undefined ? {} : { detail }),
      milliseconds: clock.now() - started,
    });
  try {
    await act();
    done('ok');
    return { kind: 'done' };
  } catch (error) {
    if (error instanceof Trouble) done(error.reason, error.message);
    else done('Bug');
    if (!(error instanceof Trouble) || error.reason === 'Busy') throw error;
    if (error.reason === 'StaleDecision' || error.outcomeUnknown) return { kind: 'overtaken' };
    return { kind: 'failed', trouble: { reason: error.reason, message: error.message } };
  }
}
