import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import {
  builtPath,
  crdsBeside,
  flagsOf,
  isBuilt,
  moduleFolder,
  type ProgramName,
  programs,
} from './programs.ts';

/* Builds what the real control plane consists of, once: binaries are kept below .cache/programs. */

/** Go as its installer places it is found also where the PATH does not name it. */
const go = ['go', '/usr/local/go/bin/go'].find((file) => spawnSync(file, ['version']).status === 0);

/** Nobody's settings change what is built. */
const goEnvironment = { ...process.env, CGO_ENABLED: '0', GOFLAGS: '', GOWORK: 'off' };

function giveUp(why: string): never {
  process.stderr.write(`Cannot build the programs of the real control plane: ${why}\n`);
  process.exit(1);
}

/** The binary appears whole, by a rename: an interrupted build leaves nothing that looks like one. */
async function build(name: ProgramName, target: string): Promise<void> {
  if (go === undefined) return giveUp('Go 1.26 or newer is needed, and `go` is not on the PATH.');
  const startedAt = Date.now();
  process.stdout.write(`Building ${name} (once; all of them take about 14 minutes on 2 cores) ...\n`);
  await mkdir(dirname(target), { recursive: true });
  const draft = `${target}.${process.pid}`;
  const flags = [
    '-trimpath',
    '-buildvcs=false',
    '-mod=readonly',
    `-ldflags=${await flagsOf(name)}`,
    '-o',
    draft,
  ];
  const child = spawn(go, ['build', ...flags, programs[name].main], {
    cwd: moduleFolder(name),
    env: goEnvironment,
    stdio: 'inherit',
  });
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) {
    await rm(draft, { force: true });
    giveUp(`${name}: \`go build\` ended with ${String(code)}, see above.`);
  }
  if (name === 'external-secrets') await copyCrds(go, target);
  await rename(draft, target);
  process.stdout.write(`Built ${name} in ${Math.round((Date.now() - startedAt) / 1_000)} s\n`);
}

/** The CRDs are a file of the module. */
async function copyCrds(file: string, target: string): Promise<void> {
  const args = ['list', '-m', '-f', '{{.Dir}}', programs['external-secrets'].main];
  const { status, stdout } = spawnSync(file, args, {
    ...{ cwd: moduleFolder('external-secrets'), env: goEnvironment, encoding: 'utf8' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (status !== 0) giveUp('external-secrets: `go list` does not find the module, see above.');
  await copyFile(join(stdout.trim(), 'deploy', 'crds', 'bundle.yaml'), crdsBeside(target));
}

const targets = new Map<ProgramName, string>();
for (const name of Object.keys(programs) as ProgramName[]) targets.set(name, await builtPath(name));
for (const [name, target] of targets) if (!(await isBuilt(target))) await build(name, target);

/** What earlier pins and interrupted builds left. */
const kept = new Set([...targets.values()].map(dirname));
const cache = dirname(dirname([...targets.values()][0] ?? ''));
for (const folder of await readdir(cache)) {
  if (!kept.has(join(cache, folder))) await rm(join(cache, folder), { recursive: true });
}
