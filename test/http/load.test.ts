import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { waitFor } from '../world/servers/wait-for.ts';
import { routeThat, trialApp } from './trial-app.ts';

const head = (length: number) =>
  `POST /tenants/sync HTTP/1.1\r\nhost: operator\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n`;

/** A trial app that listens, and a way to open a connection that has sent `text`. */
async function listening(t: TestContext, options: Parameters<typeof trialApp>[0] = {}) {
  const trial = trialApp(options);
  const sockets: Socket[] = [];
  t.after(async () => {
    for (const socket of sockets) socket.destroy();
    await trial.app.close();
  });
  await trial.app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = trial.app.server.address() as AddressInfo;
  const send = async (text: string): Promise<Socket> => {
    const socket = connect(port, '127.0.0.1').setEncoding('utf8');
    sockets.push(socket);
    await once(socket, 'connect');
    socket.write(text);
    return socket;
  };
  return { ...trial, send };
}

const answerOf = async (socket: Socket): Promise<string> => String((await once(socket, 'data'))[0]);

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

test('the 65th hook request at once is 429 before its body is there, and those that left make room again', async (t) => {
  const { app, send } = await listening(t, { routes: routeThat(() => Promise.resolve({ here: true })) });
  let arrived = 0;
  let left = 0;
  app.server.on('request', (_request, response) => {
    arrived += 1;
    response.once('close', () => (left += 1));
  });
  const half = await Promise.all(Array.from({ length: 64 }, () => send(`${head(2)}{`)));
  await waitFor('64 requests', () => arrived === 64);
  const refused = await answerOf(await send(head(2)));
  assert.match(refused, /^HTTP\/1\.1 429 /);
  assert.match(refused, /^retry-after: 1\r$/m);
  assert.ok(refused.endsWith('{"error":"busy; try again later"}'));
  assert.equal((await app.inject({ url: '/healthz' })).statusCode, 200, 'probes are not counted');

  for (const socket of half.slice(0, 32)) socket.destroy();
  for (const socket of half.slice(32)) {
    const answer = answerOf(socket);
    socket.write('}');
    assert.match(await answer, /^HTTP\/1\.1 200 /);
  }
  await waitFor('all to be over', () => left >= 64);
  const again = await Promise.all(Array.from({ length: 64 }, () => send(`${head(2)}{}`)));
  for (const answer of await Promise.all(again.map(answerOf))) assert.match(answer, /^HTTP\/1\.1 200 /);
});

test('the number of connections is bounded', () => {
  assert.equal(trialApp().app.server.maxConnections, 512);
});
