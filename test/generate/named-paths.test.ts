import assert from 'node:assert/strict';
import { glob, readFile, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

const chartReadme = 'charts/postgresql-tenant-operator/README.md';
const pages = ['README.md', 'CONTRIBUTING.md', 'metacontroller/README.md', chartReadme].concat(
  (await readdir(join(root, 'docs'), { recursive: true }))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
);

const exists = async (path: string): Promise<boolean> => {
  for await (const _ of glob(path.replace(/\/$/, ''), { cwd: root })) return true;
  return false;
};

/** In `code`, from the root of the repository; a `*` or `{a,b}` stands for several. */
const pathsIn = (text: string): string[] =>
  Array.from(
    text.matchAll(/`((?:src|test|docs|crds|examples|metacontroller|tools)\/[\w./*{},-]*)`/g),
    ([, path = '']) => path,
  );

/** From the folder of the page. */
const linksIn = (text: string): string[] =>
  Array.from(text.matchAll(/\]\((?![a-z]+:|#)([^)\s#]+)(?:#[^)\s]*)?\)/g), ([, link = '']) => link);

for (const page of pages) {
  test(`every path that ${page} names or links to is there`, async () => {
    const text = await readFile(join(root, page), 'utf8');
    const named = [...pathsIn(text), ...linksIn(text).map((link) => join(dirname(page), link))];
    const missing = [];
    for (const path of new Set(named)) if (!(await exists(path))) missing.push(path);
    assert.deepEqual(missing, []);
  });
}
