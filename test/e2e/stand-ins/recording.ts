import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

import { format, resolveConfig } from 'prettier';

/** What is set beside each other: facts by the name of the act, as JSON values with words for what differs from run to run. */
export type Recording = Readonly<Record<string, unknown>>;

/** Writes the recordings anew, from the real programs; else they are compared. */
export const recordsAnew = process.env['RECORD'] === '1';

const fileOf = (name: string): string => fileURLToPath(new URL(`recordings/${name}.json`, import.meta.url));

/** @throws Error when it was never made */
export async function readRecording(name: string): Promise<Recording> {
  return JSON.parse(await readFile(fileOf(name), 'utf8')) as Recording;
}

export async function writeRecording(name: string, recording: Recording): Promise<void> {
  const file = fileOf(name);
  const text = await format(JSON.stringify(recording), { ...(await resolveConfig(file)), parser: 'json' });
  await writeFile(file, text);
}

/** As it looks after it was written down and read: without what is undefined. */
export const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value)) as unknown;

/** One of several equal values in a row: how often a controller looks again at what has not changed is up to chance. */
export const withoutRepeats = <T>(values: readonly T[]): T[] =>
  values.filter((value, index) => JSON.stringify(value) !== JSON.stringify(values[index - 1]));

type JsonObject = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The first as it is, of each other one what differs from the one before: a merge patch, shorter and easier to read. */
export const asChanges = (values: readonly unknown[]): unknown[] =>
  values.map((value, index) => (index === 0 ? value : changeOf(values[index - 1], value)));

const changeOf = (before: unknown, after: unknown): unknown => {
  if (!isObject(before) || !isObject(after)) return after;
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const changed = names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  return Object.fromEntries(changed.map((name) => [name, changeOf(before[name], after[name] ?? null)]));
};
