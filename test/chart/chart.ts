import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { parse, parseAllDocuments } from 'yaml';
import { z } from 'zod';

import { programPath } from '../programs/programs.ts';
import { goEnvironment } from '../world/servers/go-environment.ts';

/* Helm without a cluster, and what it makes of the chart. */

export const chartFolder = fileURLToPath(new URL('../../charts/postgresql-tenant-operator', import.meta.url));

/** The release of the tests: its name says that no object depends on the one in the docs. */
export const release = { name: 'db', namespace: 'databases', fullname: 'db-postgresql-tenant-operator' };

const run = promisify(execFile);

const objectShape = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({
    name: z.string(),
    namespace: z.string().optional(),
    labels: z.record(z.string(), z.string()).default({}),
    annotations: z.record(z.string(), z.string()).default({}),
  }),
});

export type Rendered = z.infer<typeof objectShape>;

/** Standard output of Helm, which sees no cluster and no configuration of the user. @throws Error with its message */
export async function helm(...args: readonly string[]): Promise<string> {
  const home = `${tmpdir()}/no-helm-home`;
  const env = {
    ...goEnvironment,
    HELM_CACHE_HOME: home,
    HELM_CONFIG_HOME: home,
    HELM_DATA_HOME: home,
    KUBECONFIG: '/dev/null',
  };
  const { stdout } = await run(await programPath('helm'), args, {
    env,
    timeout: 30_000,
    maxBuffer: 10_000_000,
  });
  return stdout;
}

/** Paths of the values files in ci/, without the suffix `-values.yaml`, by that name. */
export async function ciValues(): Promise<ReadonlyMap<string, string>> {
  const names = (await readdir(`${chartFolder}/ci`)).sort();
  return new Map(names.map((name) => [name.replace(/-values\.yaml$/, ''), `${chartFolder}/ci/${name}`]));
}

/** `--values` of a file in ci/; more arguments of `helm template` go behind it. */
export const withValues = (name: string, ...more: readonly string[]): readonly string[] => [
  '--values',
  `${chartFolder}/ci/${name}-values.yaml`,
  ...more,
];

/** Values of a file in ci/, or the chart's own. */
export const valuesOf = async (name?: string): Promise<unknown> =>
  parse(
    await readFile(name === undefined ? `${chartFolder}/values.yaml` : (withValues(name)[1] ?? ''), 'utf8'),
  );

/** YAML 1.1, as Helm and kubectl read it: 0440 is octal. */
export const objectsIn = (text: string): readonly Rendered[] =>
  parseAllDocuments(text, { version: '1.1' })
    .filter((document) => document.contents !== null)
    .map((document) => {
      assertParsed(document.errors);
      return objectShape.parse(document.toJS());
    });

function assertParsed(errors: readonly Error[]): void {
  if (errors[0] !== undefined) throw errors[0];
}

/** What `helm template` gives. */
export const render = async (args: readonly string[], { name, namespace } = release) =>
  objectsIn(await helm('template', name, chartFolder, '--namespace', namespace, ...args));

const failureShape = z.object({ stderr: z.string() });

/** What Helm printed when it failed. @throws ZodError for another failure */
export const complaintOf = (failure: unknown): string => failureShape.parse(failure).stderr;

/** What it says to values that it does not render. @throws AssertionError when it does */
export const refusalOf = (args: readonly string[]): Promise<string> =>
  render(args).then(() => assert.fail('it was rendered'), complaintOf);

/** The one object of this kind, and of this name if one is given. */
export function only(objects: readonly Rendered[], kind: string, name?: string): Rendered {
  const found = objects.filter(
    (object) => object.kind === kind && (name === undefined || object.metadata.name === name),
  );
  if (found[0] === undefined || found.length > 1)
    throw new Error(`${found.length} objects of kind ${kind}${name === undefined ? '' : ` named ${name}`}`);
  return found[0];
}
