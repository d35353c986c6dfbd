import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { test, type TestContext } from 'node:test';

import { hookLimits } from '../../src/http/limits.ts';
import { waitFor } from '../world/servers/wait-for.ts';
import { answerOf, head, listening } from './listening-app.ts';
import { routeThat, trialApp } from './trial-app.ts';

/** Room for two bodies of the largest kind and a half. */
const limits = { bodyBytes: 1_000, bodiesBytes: 2_500, bodyMs: 60_000 };
const largest = `{${' '.repeat(998)}}`;

async function crowded(t: TestContext, routes = routeThat(() => Promise.resolve({ here: true }))) {
  const trial = await listening(t, { routes, limits });
  /** A request whose body does not come. */
  const hold = async (text: string) => {
    const arrived = once(trial.app.server, 'request');
    const socket = await trial.send(text);
    await arrived;
    return socket;
  };
  const statusOf = async (text: string) => (await answerOf(await trial.send(text))).split(' ')[1];
  return { ...trial, hold, statusOf };
}

const chunked = head(0, 'transfer-encoding: chunked').replace('content-length: 0\r\n', '');
const whole = `${head(1_000)}${largest}`;
const small = `${head(2)}{}`;

test('a body that finds no room beside those that are under way is 429; a small one does', async (t) => {
  const { hold, statusOf, send, metrics } = await crowded(t);
  const first = await hold(head(1_000));
  await hold(head(1_000));
  const refused = await answerOf(await send(whole));
  assert.match(refused, /^HTTP\/1\.1 429 /);
  assert.match(refused, /^retry-after: 1\r$/m);
  assert.match(await metrics.render(), /refusals_total\{cause="in_flight_limit"\} 1/);
  assert.equal(await statusOf(small), '200');
  first.write(largest);
  assert.match(await answerOf(first), /^HTTP\/1\.1 200 /);
  assert.equal(await statusOf(whole), '200', 'an answer makes room');
  const another = await hold(head(1_000));
  assert.equal(await statusOf(whole), '429');
  another.destroy();
  await waitFor('room', async () => (await statusOf(whole)) === '200');
});

test('a body in chunks counts as the largest, whatever has come of it', async (t) => {
  const { hold, statusOf } = await crowded(t);
  for (let times = 0; times < 2; times += 1) await hold(`${chunked}1\r\n{\r\n`);
  assert.equal(await statusOf(whole), '429');
  assert.equal(await statusOf(`${chunked}2\r\n{}\r\n0\r\n\r\n`), '429');
  assert.equal(await statusOf(small), '200');
});

test('who hangs up makes no room while its request is worked on', async (t) => {
  const { promise: free, resolve: release } = Promise.withResolvers<object>();
  let running = 0;
  const routes = routeThat(() => {
    running += 1;
    return free;
  });
  const { app, send, statusOf } = await crowded(t, routes);
  let over = 0;
  app.server.on('request', (_request, response: ServerResponse) => response.once('close', () => (over += 1)));
  const sockets = [await send(whole), await send(whole)];
  await waitFor('two handlers', () => running === 2);
  for (const socket of sockets) socket.destroy();
  await waitFor('the server to see it', () => over === 2);
  assert.equal(await statusOf(whole), '429');
  assert.equal(running, 2, 'it did not reach its handler');
  release({});
  await waitFor('room', async () => (await statusOf(whole)) === '200');
});

test('a body that is larger than any is 413 and no matter of room; many small ones need none', async () => {
  const { post } = trialApp({ routes: routeThat(() => Promise.resolve({})), limits });
  assert.equal((await post('/tenants/sync', `"${'x'.repeat(1_000)}"`)).statusCode, 413);
  for (let times = 0; times < 20; times += 1)
    assert.equal((await post('/tenants/sync', largest)).statusCode, 200, 'each gives its room back');
});

test('the hook reads 32 MiB of bodies at once, and no more', () => {
  assert.equal(hookLimits.bodiesBytes, 32 * 1024 * 1024);
  assert.ok(hookLimits.bodiesBytes >= 8 * hookLimits.bodyBytes);
});
