import type { FastifyInstance } from 'fastify';

import { Refused, refusals } from './errors.ts';

/** Objects of Kubernetes stay below 30. Deeper ones would overflow the stack of whoever walks them. */
const maxDepth = 100;

/** Bodies are JSON as Metacontroller writes it, or refused: nothing is read in two ways. */
export function takeJsonOnly(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body: string, done) => {
    const { depth, keys } = measureText(body);
    if (depth > maxDepth) {
      done(new Refused(refusals.tooDeep));
      return;
    }
    void parse(request, body, (error, value: unknown) => {
      if (error === null && keysIn(value) !== keys) done(new Refused(refusals.keyTwice));
      else done(error, value);
    });
  });
}

/**
 * How deep a JSON text is nested, and how many keys are written in it: each colon outside of a string belongs to one.
 * One pass, no regular expression: that of a string takes quadratic time on the right wrong text.
 */
function measureText(text: string): { readonly depth: number; readonly keys: number } {
  let [depth, deepest, keys, inString] = [0, 0, 0, false];
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (inString) {
      if (character === '\\') at += 1;
      else if (character === '"') inString = false;
    } else if (character === '"') inString = true;
    else if (character === ':') keys += 1;
    else if (character === '{' || character === '[') deepest = Math.max(deepest, (depth += 1));
    else if (character === '}' || character === ']') depth -= 1;
  }
  return { depth: deepest, keys };
}

/** A key that was written twice is here once. */
function keysIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const inside: unknown[] = Object.values(value);
  const own = Array.isArray(value) ? 0 : inside.length;
  return inside.reduce<number>((sum, item) => sum + keysIn(item), own);
}
