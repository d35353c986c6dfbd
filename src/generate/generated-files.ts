import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { format, resolveConfig } from 'prettier';

import { withAlerts } from './alerts.ts';
import { chartReadme } from './chart-readme.ts';
import { configuration } from './configuration.ts';
import { crdYaml } from './crd.ts';
import { dashboard } from './dashboard.ts';
import { instanceKind, tenantKind } from './kinds.ts';
import { operations } from './operations.ts';
import { reference } from './reference.ts';

export interface GeneratedFile {
  /** Below the root of the repository. */
  readonly path: string;
  readonly content: string;
}

/** Its package holds nothing from outside this folder. */
const chart = 'charts/postgresql-tenant-operator';

/** Every generated file, in memory. The same sources give the same bytes. `root`: folder of the repository. */
export async function generatedFiles(root: string): Promise<readonly GeneratedFile[]> {
  return [
    ...['crds', `${chart}/files/crds`].flatMap((folder) =>
      [instanceKind, tenantKind].map((kind) => ({
        path: `${folder}/${kind.plural}.yaml`,
        content: crdYaml(kind),
      })),
    ),
    await referenceFile(root),
    await configurationFile(root),
    await operationsFile(root),
    await chartReadmeFile(root),
    await dashboardFile(root),
  ];
}

async function referenceFile(root: string): Promise<GeneratedFile> {
  const example = (name: string): Promise<string> => readFile(join(root, 'examples', `${name}.yaml`), 'utf8');
  const text = reference({
    instanceMinimal: await example('instance-minimal'),
    instanceFull: await example('instance-full'),
    tenantMinimal: await example('tenant-minimal'),
    tenantFull: await example('tenant-full'),
  });
  return markdownFile(root, 'docs/api-reference.md', text);
}

async function configurationFile(root: string): Promise<GeneratedFile> {
  const deployment = await readFile(join(root, 'examples/install/operator.yaml'), 'utf8');
  return markdownFile(root, 'docs/configuration.md', configuration(deployment));
}

/** Most of it is written by hand. */
async function operationsFile(root: string): Promise<GeneratedFile> {
  const path = 'docs/operations.md';
  const page = operations(await readFile(join(root, path), 'utf8'));
  const alerts = await readFile(join(root, chart, 'files/monitoring/alerts.yaml'), 'utf8');
  return markdownFile(root, path, withAlerts(page, alerts));
}

/** Most of it is written by hand. */
async function chartReadmeFile(root: string): Promise<GeneratedFile> {
  const read = (name: string): Promise<string> => readFile(join(root, chart, name), 'utf8');
  const sources = { chart: await read('Chart.yaml'), values: await read('values.yaml') };
  return markdownFile(root, `${chart}/README.md`, chartReadme(await read('README.md'), sources));
}

function dashboardFile(root: string): Promise<GeneratedFile> {
  return formatted(root, `${chart}/files/monitoring/dashboard.json`, dashboard(), 'json');
}

const markdownFile = (root: string, path: string, text: string): Promise<GeneratedFile> =>
  formatted(root, path, text, 'markdown');

/** Formatted as `npm run format` would do it. */
async function formatted(
  root: string,
  path: string,
  text: string,
  parser: 'markdown' | 'json',
): Promise<GeneratedFile> {
  const options = await resolveConfig(join(root, path));
  return { path, content: await format(text, { ...options, parser }) };
}
