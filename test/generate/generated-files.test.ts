import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { generatedFiles } from '../../src/generate/generated-files.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

test('the committed files are what `npm run generate` writes', async () => {
  const files = await generatedFiles(root);
  assert.deepEqual(
    files.map(({ path }) => path),
    [
      'crds/postgresqlinstances.yaml',
      'crds/postgresqltenants.yaml',
      'charts/postgresql-tenant-operator/files/crds/postgresqlinstances.yaml',
      'charts/postgresql-tenant-operator/files/crds/postgresqltenants.yaml',
      'docs/api-reference.md',
      'docs/configuration.md',
      'docs/operations.md',
      'charts/postgresql-tenant-operator/README.md',
      'charts/postgresql-tenant-operator/files/monitoring/dashboard.json',
    ],
  );
  for (const { path, content } of files)
    assert.equal(await readFile(join(root, path), 'utf8'), content, `${path}: run npm run generate`);
});

test('generating twice gives the same bytes', async () => {
  assert.deepEqual(await generatedFiles(root), await generatedFiles(root));
});
