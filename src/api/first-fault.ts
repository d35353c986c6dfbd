import { z } from 'zod';

/*
 * Zod reads on after a fault. Each fault costs it several microseconds and a kilobyte, and whoever posts a list has room
 * for millions, so what nobody bounds is read up to its first fault.
 */

/** Like `z.array`, of any length; one fault at most is told. */
export const listOf = <Value>(element: z.ZodType<Value>) =>
  z.array(z.unknown()).transform((items, context) => {
    const entries = readEntries(items.entries(), element, context);
    return entries === null ? z.NEVER : entries.map(([, value]) => value);
  });

const plainObject = z.custom<Readonly<Record<string, unknown>>>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
);

/** Like `z.record` of strings, of any size; one fault at most is told. */
export const mapOf = <Value>(value: z.ZodType<Value>) =>
  plainObject.transform((map, context): Record<string, Value> => {
    const entries = readEntries(Object.entries(map), value, context);
    return entries === null ? z.NEVER : Object.fromEntries(entries);
  });

/** null: there was a fault, and the context has heard of it. */
function readEntries<Key extends PropertyKey, Value>(
  entries: Iterable<[Key, unknown]>,
  shape: z.ZodType<Value>,
  context: z.RefinementCtx,
): [Key, Value][] | null {
  const read: [Key, Value][] = [];
  for (const [key, entry] of entries) {
    const { data, error } = shape.safeParse(entry);
    if (error !== undefined) {
      const [{ message, path } = { message: 'wrong', path: [] }] = error.issues;
      context.addIssue({ code: 'custom', path: [key, ...path], message });
      return null;
    }
    read.push([key, data]);
  }
  return read;
}
