import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage, Server } from 'node:http';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

import { waitFor } from '../world/servers/wait-for.ts';
import { answerOf, gone, head, listening } from './listening-app.ts';
import { routeThat } from './trial-app.ts';

const connectionsOf = promisify((server: Server, done: (error: Error | null, count: number) => void) => {
  server.getConnections(done);
});

test('a client that goes away in the middle of its body is no bug: nothing in the log, no 500', async (t) => {
  const { app, send, metrics, log } = await listening(t);
  const arrived = once(app.server, 'request') as Promise<[IncomingMessage]>;
  const socket = await send(`${head(100)}{"parent":`);
  const [request] = await arrived;
  const broken = once(request, 'error', { signal: AbortSignal.timeout(5_000) }).catch((error: unknown) => [
    error,
  ]);
  socket.destroy();
  assert.match(String((await broken)[0]), /aborted/, 'what Fastify sees');
  await sleep(50);
  assert.doesNotMatch(await metrics.render(), /code="500"/);
  assert.doesNotMatch(log(), /"level":"(?:warn|error|fatal)"/);
});

for (const count of [64, 200]) {
  test(`${count} bodies that never end neither delay a good request nor stay: no 500, nothing in the log`, async (t) => {
    const { app, send, metrics, log } = await listening(t, {
      routes: routeThat(() => Promise.resolve({ here: true })),
      limits: { bodyMs: 5_000 },
    });
    let arrived = 0;
    app.server.on('request', () => (arrived += 1));
    const slow = await Promise.all(Array.from({ length: count }, () => send(`${head(2)}{`)));
    const ended = Promise.all(slow.map((socket) => gone(socket)));
    await waitFor('all heads', () => arrived === count);
    assert.match(await answerOf(await send(`${head(2)}{}`)), /^HTTP\/1\.1 200 /);
    assert.ok(
      slow.every((socket) => !socket.destroyed),
      'while the slow ones are still there',
    );

    await ended;
    assert.doesNotMatch(await metrics.render(), /code="(?:429|5\d\d)"/);
    assert.doesNotMatch(log(), /"level":"(?:warn|error|fatal)"/);
  });
}

test('a body that drips is ended too, on a path that is none as well', async (t) => {
  const { send } = await listening(t);
  const dripping = await Promise.all([
    send(head(1_000)),
    send(head(1_000).replace('/tenants/sync', '/none')),
  ]);
  const drip = setInterval(() => {
    for (const socket of dripping) if (socket.writable) socket.write(' ');
  }, 100);
  t.after(() => {
    clearInterval(drip);
  });
  const started = performance.now();
  await Promise.all(dripping.map((socket) => gone(socket)));
  assert.ok(performance.now() - started > 1_500, 'a body has its two seconds');
});

test('a handler has longer than a body, and so has a connection that waits for its next request', async (t) => {
  const { send } = await listening(t, { routes: routeThat(() => sleep(2_300, { here: true })) });
  const [unused, busy] = await Promise.all([send(''), send(`${head(2)}{}`)]);
  assert.match(await answerOf(busy), /^HTTP\/1\.1 200 /);
  for (const socket of [unused, busy]) socket.write(`${head(2)}{}`);
  for (const answer of await Promise.all([unused, busy].map(answerOf)))
    assert.match(answer, /^HTTP\/1\.1 200 /);
});

test('the 65th handler at once is 429, also when clients have hung up; those that are done make room again', async (t) => {
  let running = 0;
  const { promise: free, resolve: release } = Promise.withResolvers<undefined>();
  const { app, send, log } = await listening(t, {
    routes: routeThat(async () => {
      running += 1;
      await free;
      return { here: true };
    }),
  });
  const sockets = await Promise.all(Array.from({ length: 64 }, () => send(`${head(2)}{}`)));
  await waitFor('64 handlers', () => running === 64);
  const [left, staying] = [sockets.slice(0, 32), sockets.slice(32)];
  const ended = left.map((socket) => gone(socket));
  for (const socket of left) socket.destroy();
  await Promise.all(ended);
  await waitFor('the server to see it', () => connectionsOf(app.server).then((count) => count === 32));
  const refused = await answerOf(await send(`${head(2)}{}`));
  assert.match(refused, /^HTTP\/1\.1 429 /);
  assert.match(refused, /^retry-after: 1\r$/m);
  assert.ok(refused.endsWith('{"error":"busy; try again later"}'));
  assert.equal(running, 64);

  const answers = Promise.all(staying.map(answerOf));
  release(undefined);
  for (const answer of await answers) assert.match(answer, /^HTTP\/1\.1 200 /);
  const again = await Promise.all(Array.from({ length: 64 }, () => send(`${head(2)}{}`)));
  for (const answer of await Promise.all(again.map(answerOf))) assert.match(answer, /^HTTP\/1\.1 200 /);
  assert.doesNotMatch(log(), /"level":"(?:warn|error|fatal)"/);
});
