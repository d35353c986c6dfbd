import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { metacontrollerBinary } from '../control-plane/metacontroller-process.ts';
import { watch } from '../world/servers/watchdog.ts';

/*
 * Everything that needs the real control plane: the scenarios, on real parts in place of the stand-ins, and what cannot be
 * shown on stand-ins. Arguments name test files in place of all of them.
 */

const folders = ['e2e', 'scenarios', 'control-plane', 'chart', 'image'];
const all = `test/{${folders.join(',')}}/**/*.test.ts`;
const files = process.argv.slice(2);
/** Far more than all of it takes; whatever hangs is ended by then. */
const longestMs = 60 * 60_000;

const binary = metacontrollerBinary();
process.stdout.write(
  binary === undefined
    ? 'Metacontroller: its stand-in. METACONTROLLER_BIN=<path> takes the real one.\n'
    : `Metacontroller: ${binary}\n`,
);

const root = fileURLToPath(new URL('../..', import.meta.url));
const tests = spawn(
  process.execPath,
  ['--test', '--test-timeout=900000', '--test-concurrency=4', ...(files.length === 0 ? [all] : files)],
  {
    cwd: root,
    env: { ...process.env, WORLD_PARTS: 'real', NODE_COMPILE_CACHE: join(root, '.cache/node-tests') },
    stdio: 'inherit',
    detached: true,
  },
);
// Killed, it takes them along, with all that they started.
watch(tests, { group: true });
// Told to end, the tests end first: each of them ends what it started.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => tests.kill(signal));
const late = setTimeout(() => tests.kill('SIGTERM'), longestMs);
const [code] = (await once(tests, 'close')) as [number | null];
clearTimeout(late);
process.exitCode = code ?? 1;
