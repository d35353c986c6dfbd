import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import { readRegularFile, readRegularFileSync } from '../../src/http-client/regular-file.ts';

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'regular-file-'));
  execFileSync('mkfifo', [join(folder, 'pipe')]);
  await writeFile(join(folder, 'file'), 'text\n');
  await writeFile(join(folder, 'large'), '');
  await truncate(join(folder, 'large'), 1024 * 1024 + 1);
});
after(() => rm(folder, { recursive: true, force: true }));

const readers = {
  'at the start': (path: string) => Promise.resolve(readRegularFileSync(path)),
  'later on': readRegularFile,
};

for (const [when, read] of Object.entries(readers)) {
  test(`a file is read ${when}`, async () => {
    assert.equal(await read(join(folder, 'file')), 'text\n');
  });

  for (const name of ['pipe', 'large', '.', 'missing', '/dev/zero'])
    test(`${name} is refused at once ${when}`, async () => {
      await assert.rejects(async () => read(name.startsWith('/') ? name : join(folder, name)));
    });
}
