import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { test } from 'node:test';

import { isRunning } from './is-running.ts';
import { waitFor } from './wait-for.ts';

/** A test process: starts a server as tests do, says its process id, and goes on. */
const starter = `
  import { ServerProcess } from ${JSON.stringify(new URL('server-process.ts', import.meta.url).href)};
  const server = new ServerProcess({ name: 'sleeper', file: process.execPath, args: ['-e', 'setInterval(() => {}, 1000)'], cwd: '/' });
  console.log(server.pid);
`;

for (const signal of ['SIGKILL', 'SIGINT', 'SIGTERM'] as const) {
  test(`A server ends when the tests that started it end by ${signal}`, async (t) => {
    const tests = spawn(process.execPath, ['--input-type=module-typescript', '-e', starter], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    t.after(() => tests.kill('SIGKILL'));
    const [line] = (await once(createInterface({ input: tests.stdout }), 'line')) as [string];
    const pid = Number(line);
    assert.ok(isRunning(pid));
    tests.kill(signal);
    await waitFor('the server to end', () => !isRunning(pid));
  });
}

test('A process that was stopped ends too when the tests are killed', async (t) => {
  const script = `
    import { spawn } from 'node:child_process';
    import { watchProcess } from ${JSON.stringify(new URL('watchdog.ts', import.meta.url).href)};
    const { pid } = spawn('sleep', ['600'], { detached: true, stdio: 'ignore' });
    watchProcess(pid);
    // Somebody else takes back his own.
    watchProcess(pid)();
    process.kill(pid, 'SIGSTOP');
    console.log(pid);
    setInterval(() => {}, 1000);`;
  const tests = spawn(process.execPath, ['--input-type=module-typescript', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(() => tests.kill('SIGKILL'));
  const [line] = (await once(createInterface({ input: tests.stdout }), 'line')) as [string];
  assert.ok(isRunning(Number(line)));
  tests.kill('SIGKILL');
  await waitFor('the stopped process to end', () => !isRunning(Number(line)));
});

test('A process that ends after its servers leaves in peace, and is not held up', async () => {
  const script = `${starter}; await server.stop('SIGTERM'); console.log('stopped');`;
  const tests = spawn(process.execPath, ['--input-type=module-typescript', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: 20_000,
  });
  const [code] = (await once(tests, 'close')) as [number | null];
  assert.equal(code, 0);
});
