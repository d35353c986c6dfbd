import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { afterNpmCi } from './kept-packages.ts';

test('packages are installed once for the same files, and again when a file or the command changes', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'pgtenancy-packages-'));
  let installs = 0;
  /** A stage with this lockfile, in which the command has been performed: what was installed. */
  const installed = async (name: string, lockfile: string, command: string): Promise<string> => {
    const root = join(folder, name);
    await mkdir(root);
    await writeFile(join(root, 'package-lock.json'), lockfile);
    const stage = {
      ...{ root, env: {}, args: {}, workingDir: '/', user: { uid: 0, gid: 0 } },
      ...{ entrypoint: [], cmd: [], labels: {}, ports: [] },
    };
    await afterNpmCi(stage, { command, folder: join(folder, 'kept') }, async () => {
      installs += 1;
      await writeFile(join(root, 'installed'), `${lockfile} ${command}`);
    });
    return readFile(join(root, 'installed'), 'utf8');
  };
  try {
    assert.equal(await installed('first', 'a', 'npm ci'), 'a npm ci');
    assert.equal(await installed('same', 'a', 'npm ci'), 'a npm ci');
    assert.equal(installs, 1);
    assert.equal(await installed('other', 'b', 'npm ci'), 'b npm ci');
    assert.equal(await installed('production', 'b', 'npm ci --omit=dev'), 'b npm ci --omit=dev');
    assert.equal(installs, 3);
    assert.equal((await readdir(join(folder, 'kept'))).length, 2, 'the oldest went');
  } finally {
    await rm(folder, { recursive: true });
  }
});
