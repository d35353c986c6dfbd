import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { format, resolveConfig } from 'prettier';

import { crdYaml } from './crd.ts';
import { instanceKind, tenantKind } from './kinds.ts';
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
  ];
}

async function referenceFile(root: string): Promise<GeneratedFile> {
  const path = 'docs/api-reference.md';
  const example = (name: string): Promise<string> => readFile(join(root, 'examples', `${name}.yaml`), 'utf8');
  const text = reference({
    instanceMinimal: await example('instance-minimal'),
    instanceFull: await example('instance-full'),
    tenantMinimal: await example('tenant-minimal'),
    tenantFull: await example('tenant-full'),
  });
  const options = await resolveConfig(join(root, path));
  return { path, content: await format(text, { ...options, parser: 'markdown' }) };
}
