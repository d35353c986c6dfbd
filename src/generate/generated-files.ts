import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { format, resolveConfig } from 'prettier';

import { configuration } from './configuration.ts';
import { crdYaml } from './crd.ts';
import { instanceKind, tenantKind } from './kinds.ts';
import { operations } from './operations.ts';
import { reference } from './reference.ts';

export interface GeneratedFile {
  /** Below the root of the repository. */
  readonly path: string;
  readonly content: string;
}

/** Every generated file, in memory. The same sources give the same bytes. `root`: folder of the repository. */
export async function generatedFiles(root: string): Promise<readonly GeneratedFile[]> {
  return [
    ...[instanceKind, tenantKind].map((kind) => ({
      path: `crds/${kind.plural}.yaml`,
      content: crdYaml(kind),
    })),
    await referenceFile(root),
    await configurationFile(root),
    await operationsFile(root),
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
  return markdownFile(root, path, operations(await readFile(join(root, path), 'utf8')));
}

/** Formatted as `npm run format` would do it. */
async function markdownFile(root: string, path: string, text: string): Promise<GeneratedFile> {
  const options = await resolveConfig(join(root, path));
  return { path, content: await format(text, { ...options, parser: 'markdown' }) };
}
