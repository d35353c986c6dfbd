import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { lstat, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { before, test } from 'node:test';

import { z } from 'zod';

import { freePort } from '../world/servers/free-port.ts';
import { ServerProcess } from '../world/servers/server-process.ts';
import { imageFolder } from './image-folder.ts';
import { type Image, userHere } from './image.ts';

const manifest = z
  .object({
    version: z.string(),
    dependencies: z.record(z.string(), z.string()),
    devDependencies: z.record(z.string(), z.string()),
  })
  .parse(JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')));

let image: Image;
before(async () => {
  image = await imageFolder();
});

/** Every file of the image, with all that a write would change. */
async function filesOf(): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  for (const entry of await readdir(image.root, { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath, entry.name);
    const { mode, uid, size, mtimeMs, ino } = await lstat(path);
    const kind = entry.isSymbolicLink() ? 'link' : (mode & 0o777).toString(8);
    files.set(relative(image.root, path), `${kind} ${uid} ${size} ${mtimeMs} ${ino}`);
  }
  return files;
}

/** The entrypoint as an engine runs it: the image's user, working directory and environment, and `env`. */
function start(env: Readonly<Record<string, string>>): ServerProcess {
  const [file = '', ...args] = [...image.entrypoint, ...image.cmd];
  const { uid } = userHere(image.user);
  return new ServerProcess({
    ...{ name: 'the image', file: join(image.root, file), args, cwd: join(image.root, image.workingDir) },
    env: { ...image.env, ...env },
    ...(uid === undefined ? {} : { uid }),
  });
}

/** A configuration with which it starts; nothing that it names answers. */
async function withConfiguration(use: (env: Record<string, string>, probes: string) => Promise<void>) {
  const folder = await mkdtemp(join(tmpdir(), 'pgtenancy-image-test-'));
  try {
    const shared = join(folder, 'shared');
    await mkdir(shared, { mode: 0o755 });
    spawnSync('chmod', ['755', folder, shared]);
    await writeFile(join(shared, 'token'), 'canary', { mode: 0o644 });
    const port = await freePort();
    const env = {
      ...{ HOST: '127.0.0.1', PORT: '0', METRICS_PORT: String(port), HOOK_TLS: 'off' },
      ...{ HOOK_AUTHENTICATION: 'none', INSTALLATION: 'prod', OPERATOR_NAMESPACE: 'pgtenancy' },
      ...{ KUBERNETES_URL: 'http://127.0.0.1:9', KUBERNETES_TOKEN_FILE: join(shared, 'token') },
      ...{ OPENBAO_ADDRESS: 'http://127.0.0.1:9', OPENBAO_MOUNT: 'm', OPENBAO_AUTH: 'token' },
      ...{ OPENBAO_TOKEN_FILE: join(shared, 'token'), SECRET_STORE_NAME: 's', DRAIN_SECONDS: '0' },
    };
    await use(env, `http://127.0.0.1:${port}`);
  } finally {
    await rm(folder, { recursive: true });
  }
}

const answers = (url: string): Promise<boolean> =>
  fetch(url, { signal: AbortSignal.timeout(2_000) }).then(
    ({ ok }) => ok,
    () => false,
  );

test('its process is ready, writes nothing into the image, and ends in order on SIGTERM', async () => {
  const untouched = await filesOf();
  await withConfiguration(async (env, probes) => {
    const operator = start(env);
    try {
      await operator.ready(() => answers(`${probes}/healthz`));
      const metrics = await (await fetch(`${probes}/metrics`)).text();
      assert.ok(metrics.includes(`version="${manifest.version}"`), 'it knows the version of package.json');
    } finally {
      await operator.stop('SIGTERM');
    }
    assert.match(operator.output(), /"signal":"SIGTERM","msg":"stopping"/);
    assert.ok(!operator.output().includes('canary'));
  });
  assert.deepEqual(await filesOf(), untouched);
});

test('without a configuration it says every fault and ends with code 2', async () => {
  await assert.rejects(
    start({}).ready(() => false),
    (error: Error) => {
      assert.match(error.message, /ended with code 2/);
      for (const variable of ['INSTALLATION', 'OPENBAO_ADDRESS', 'SECRET_STORE_NAME', 'HOOK_TLS_CERT_FILE'])
        assert.match(error.message, new RegExp(`\\b${variable}\\b`));
      return true;
    },
  );
});

test('its user is not root, and may read every file and write none', async () => {
  assert.deepEqual(image.user, { uid: 65532, gid: 65532 });
  for (const [path, facts] of await filesOf()) {
    const [mode = '', uid] = facts.split(' ');
    if (mode === 'link') continue;
    const digits = mode.split('').map(Number);
    assert.ok(
      digits.every((digit) => (digit & 2) === 0),
      `${path} may be written: ${mode}`,
    );
    assert.ok(
      digits.every((digit) => (digit & 4) === 4),
      `${path} may not be read: ${mode}`,
    );
    if (process.getuid?.() === 0) assert.equal(uid, '0', `${path} is root's`);
  }
});

test('it holds the compiled operator, its license and the packages for production, and nothing else', async () => {
  const app = join(image.root, image.workingDir);
  assert.deepEqual((await readdir(image.root)).sort(), ['app', 'nodejs']);
  assert.deepEqual((await readdir(app)).sort(), ['LICENSE', 'dist', 'node_modules', 'package.json']);
  const compiled = await readdir(join(app, 'dist'), { withFileTypes: true, recursive: true });
  const files = compiled.filter((entry) => entry.isFile()).map(({ name }) => name);
  assert.ok(files.includes('main.js'));
  assert.deepEqual(
    files.filter((name) => !name.endsWith('.js')),
    [],
  );
  for (const name of Object.keys(manifest.dependencies))
    assert.ok((await lstat(join(app, 'node_modules', name))).isDirectory(), name);
});

test('every package in it is one that the operator needs, directly or not', async () => {
  const path = join(image.root, image.workingDir, 'node_modules/.package-lock.json');
  const lock = z.object({ packages: z.record(z.string(), z.object({ dev: z.boolean().optional() })) });
  const { packages } = lock.parse(JSON.parse(await readFile(path, 'utf8')));
  const names = Object.keys(packages).map((place) => place.replace(/^.*node_modules\//, ''));
  assert.ok(names.length > Object.keys(manifest.dependencies).length);
  assert.deepEqual(
    names.filter((name) => name in manifest.devDependencies),
    [],
  );
  assert.deepEqual(
    Object.entries(packages).filter(([, { dev }]) => dev === true),
    [],
  );
});

test('its labels say what it is, in the version of package.json', () => {
  const label = (name: string) => image.labels[`org.opencontainers.image.${name}`];
  assert.equal(label('title'), 'postgresql-tenant-operator');
  assert.equal(label('version'), manifest.version);
  assert.equal(label('licenses'), 'Apache-2.0');
  assert.ok(label('description'));
});

test('Node runs in production mode', () => {
  assert.equal(image.env['NODE_ENV'], 'production');
});
