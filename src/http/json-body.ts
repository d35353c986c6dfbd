import type { FastifyInstance } from 'fastify';

import { Refused, refusals } from './errors.ts';

/** Objects of Kubernetes stay below 30. Deeper ones would overflow the stack of whoever walks them. */
const maxDepth = 100;

/** A Tenant with its child and its Instance has some hundreds. Each one costs much more than its bytes to check. */
const maxValues = 50_000;

/** Bodies are JSON as Metacontroller writes it, or refused: nothing is read in two ways. */
export function takeJsonOnly(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body: string, done) => {
    const { depth, keys, values } = measureText(body);
    if (depth > maxDepth || values > maxValues) {
      done(new Refused(depth > maxDepth ? refusals.tooDeep : refusals.tooManyValues));
      return;
    }
    void parse(request, body, (error, value: unknown) => {
      if (error === null && keysIn(value) !== keys) done(new Refused(refusals.keyTwice));
      else done(error, value);
    });
  });
}

/**
 * How deep a JSON text is nested, and how many keys and values are written in it. Outside of a string each colon belongs
 * to a key, and each value but the first comes after a comma or an opening bracket.
 * One pass, no regular expression: that of a string takes quadratic time on the right wrong text.
 */
function measureText(text: string): { depth: number; keys: number; values: number } {
  let [depth, deepest, keys, values, inString] = [0, 0, 0, 1, false];
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (inString) {
      if (character === '\\') at += 1;
      else if (character === '"') inString = false;
    } else if (character === '"') inString = true;
    else if (character === ':') keys += 1;
    else if (character === ',') values += 1;
    else if (character === '{' || character === '[') {
      values += 1;
      deepest = Math.max(deepest, (depth += 1));
    } else if (character === '}' || character === ']') depth -= 1;
  }
  return { depth: deepest, keys, values };
}

/** A key that was written twice is here once. */
function keysIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const inside: unknown[] = Object.values(value);
  const own = Array.isArray(value) ? 0 : inside.length;
  return inside.reduce<number>((sum, item) => sum + keysIn(item), own);
}
