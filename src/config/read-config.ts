import { configOf, type Config } from './config.ts';
import { environmentShape } from './environment-shape.ts';
import type { ReadFile } from './file-shapes.ts';
import { misspelt } from './misspelt.ts';
import { isServiceLink } from './service-links.ts';

const heading = 'the configuration is not valid (docs/configuration.md describes each variable):';

/**
 * Reads the whole configuration. An empty variable counts as unset. Throws one `Error` that lists every faulty
 * variable by name; values are never repeated, because a secret may have slipped into one.
 */
export function readConfig(env: Readonly<Record<string, string | undefined>>, readFile: ReadFile): Config {
  const given = givenIn(env);
  const shape = environmentShape(readFile);
  const parsed = shape.safeParse(given);
  const faults = [
    ...(parsed.error?.issues ?? []).map(({ path, message }) => `- ${path.join('.')} ${message}`),
    ...misspelt(Object.keys(given), Object.keys(shape.shape)),
  ];
  if (parsed.data !== undefined && faults.length === 0) return frozen(configOf(parsed.data));
  throw new Error(`${heading}\n${[...new Set(faults)].join('\n')}`);
}

const givenIn = (env: Readonly<Record<string, string | undefined>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) =>
      value === undefined || value === '' || isServiceLink(name, value) ? [] : [[name, value]],
    ),
  );

/** Frozen with everything below it. */
const frozen = <T>(value: T): T => {
  if (typeof value === 'object' && value !== null) Object.values(value).forEach(frozen);
  return Object.freeze(value);
};
