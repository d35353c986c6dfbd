import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { test } from 'node:test';

const folder = new URL('../../src/domain/', import.meta.url);

test('every file of the domain is loaded, so that none is left out of the coverage', async () => {
  const files = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.ts'));
  const modules = await Promise.all(
    files.map((name) => import(new URL(name, folder).href) as Promise<object>),
  );
  assert.ok(files.includes('ladder.ts'));
  assert.equal(modules.length, files.length);
});
