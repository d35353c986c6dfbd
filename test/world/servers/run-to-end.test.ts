import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { test } from 'node:test';

import { isRunning, signalIfRunning } from './is-running.ts';
import { runGroupToEnd, runToEnd } from './run-to-end.ts';
import { waitFor } from './wait-for.ts';

const shell = (script: string, detached = false) =>
  spawn('/bin/sh', ['-c', script], { stdio: ['ignore', 'pipe', 'pipe'], detached });

test('What a child writes is kept, apart and together, with the code that it ends with', async () => {
  const { code, stdout, stderr, output } = await runToEnd(shell('echo one; echo two >&2; exit 3'));
  assert.deepEqual({ code, stdout, stderr }, { code: 3, stdout: 'one\n', stderr: 'two\n' });
  assert.equal(output.length, 8);
});

test('A child that could not be started is an error', async () => {
  const child = spawn('/nonexistent', [], { stdio: ['ignore', 'pipe', 'pipe'] });
  await assert.rejects(runToEnd(child), /spawn \/nonexistent/);
});

test('A group that takes too long is killed as a whole, also what holds its output open', async () => {
  const { code, stdout, output } = await runGroupToEnd(shell('sleep 600 & echo $!; wait', true), 300);
  assert.equal(code, null);
  assert.match(output, /killed after 300 ms/);
  await waitFor('the grandchild to end', () => !isRunning(Number(stdout)));
});

test('Whoever leaves the group and keeps its output open holds nobody up', async () => {
  const script = `setsid sh -c 'echo $$; exec sleep 600' & wait`;
  const { stdout, output } = await runGroupToEnd(shell(script, true), 3_000);
  assert.ok(signalIfRunning(Number(stdout), 'SIGKILL'));
  assert.match(output, /killed after 3000 ms/);
});

test('What a group leaves behind ends with it', async () => {
  const { code, stdout } = await runGroupToEnd(shell('sleep 600 & echo $!', true), 60_000);
  assert.equal(code, 0);
  await waitFor('the grandchild to end', () => !isRunning(Number(stdout)));
});
