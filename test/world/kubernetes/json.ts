import { isDeepStrictEqual } from 'node:util';

export type JsonObject = Record<string, unknown>;

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Equal as JSON: the order of members does not matter, the order of list items does. */
export const sameJson = (left: unknown, right: unknown): boolean => isDeepStrictEqual(left, right);

export const without = (object: JsonObject, ...keys: string[]): JsonObject =>
  Object.fromEntries(Object.entries(object).filter(([key]) => !keys.includes(key)));
