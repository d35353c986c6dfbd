import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type AddressInfo } from 'node:net';
import { test } from 'node:test';

import Fastify from 'fastify';

import { boundClosing } from '../../src/http/closing.ts';
import { boundConnections } from '../../src/http/connections.ts';
import { waitFor } from '../world/servers/wait-for.ts';
import { answerOf, everythingOf, gone, head, listening } from './listening-app.ts';
import { routeThat, trialApp } from './trial-app.ts';

test('a request that was on its way when the server began to close is answered, not turned away', async () => {
  const { app } = trialApp({ routes: routeThat(() => Promise.resolve({ here: true })) });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
  let received = '';
  socket.setEncoding('utf8').on('data', (text: string) => (received += text));
  const ended = once(socket, 'end');
  const arrived = once(app.server, 'connection');
  socket.write('POST /tenants/sync HTTP/1.1\r\nhost: operator\r\ncontent-type: application/json\r\n');
  await arrived;
  const closed = app.close();
  await waitFor('the server to stop listening', () => !app.server.listening);
  socket.write('content-length: 2\r\n\r\n{}');
  await ended;
  await closed;
  assert.match(received, /^HTTP\/1\.1 200 /);
  assert.match(received, /connection: close/i);
  assert.match(received, /\{"here":true\}$/);
});

test('a connection that says nothing, or half a head, holds up the end for a second at most', async (t) => {
  const { app, send } = await listening(t, { deadline: 60_000 });
  const [silent, half] = [await send(''), await send('POST /tenants/sync HTTP/1.1\r\n')];
  void app.close();
  await Promise.all([silent, half].map((socket) => gone(socket)));
});

test('a connection that waits for its next request is closed at once, before those that may still bring one', async (t) => {
  const { app, send } = await listening(t, { routes: routeThat(() => Promise.resolve({ here: true })) });
  const ended: string[] = [];
  const silent = (await send('')).once('close', () => ended.push('silent'));
  const idle = (await send(`${head(2)}{}`)).once('close', () => ended.push('idle'));
  await answerOf(idle);
  void app.close();
  await Promise.all([silent, idle].map((socket) => gone(socket)));
  assert.deepEqual(ended, ['idle', 'silent']);
});

test('while the process stops each answer says that the connection closes, refusals as well', async (t) => {
  const routes = routeThat(() => Promise.resolve({ here: true }));
  const { send } = await listening(t, { routes, ready: () => false, tokens: ['0123456789'.repeat(4)] });
  const token = `authorization: Bearer ${'0123456789'.repeat(4)}`;
  for (const [text, status] of [
    [`${head(2, token)}{}`, 200],
    [`${head(1, token)}{`, 400],
    [`${head(2)}{}`, 401],
  ] as const) {
    const answer = await everythingOf(await send(text));
    assert.match(answer, new RegExp(`^HTTP/1\\.1 ${status} `));
    assert.match(answer, /^connection: close\r$/im);
  }
});

test('the end is bounded, also with a request that is never answered', async () => {
  const app = Fastify();
  app.get('/', () => new Promise(() => undefined));
  const connections = boundConnections(app.server, 10);
  app.addHook('preHandler', (request, reply, done) => {
    connections.work(request.raw.socket, reply.raw);
    done();
  });
  boundClosing(app, connections, 1_500);
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  const arrived = once(app.server, 'request');
  socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
  await arrived;
  const started = performance.now();
  await app.close();
  assert.ok(performance.now() - started > 1_400, 'it got its time');
});
