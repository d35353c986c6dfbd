import assert from 'node:assert/strict';
import { inspect } from 'node:util';

import { Trouble } from '../src/errors.ts';

/** Awaits a failure that must be a `Trouble`; `canaries` must be nowhere in it, however deep one looks. */
export const troubleOf = async (call: Promise<unknown>, ...canaries: readonly string[]): Promise<Trouble> => {
  const error = await call.then(
    (value) => assert.fail(`it succeeded with ${inspect(value)}`),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof Trouble, inspect(error));
  assert.equal(error.cause, undefined);
  const shown = `${inspect(error, { depth: null, showHidden: true })} ${JSON.stringify(error)} ${error.stack ?? ''}`;
  for (const canary of canaries) assert.ok(!shown.includes(canary), 'a canary is in the error');
  return error;
};
