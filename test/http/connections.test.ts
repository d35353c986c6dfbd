import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { boundConnections } from '../../src/http/connections.ts';
import { answerOf, gone, head, listening } from './listening-app.ts';
import { routeThat } from './trial-app.ts';

const good = `${head(2)}{}`;
const here = routeThat(() => Promise.resolve({ here: true }));

/** Ten connections that say nothing, one after the other, on an app that allows four. */
async function crowded(t: TestContext, options: Parameters<typeof listening>[1] = {}) {
  const trial = await listening(t, { routes: here, ...options, limits: { connections: 4 } });
  const crowd = async (count = 10): Promise<Socket[]> => {
    const sockets: Socket[] = [];
    for (let index = 0; index < count; index += 1) sockets.push(await trial.send(''));
    return sockets;
  };
  return { ...trial, crowd };
}

test('silent connections that fill all places are ended for new ones, the oldest first', async (t) => {
  const { crowd, send } = await crowded(t);
  const silent = await crowd();
  await Promise.all(silent.slice(0, 6).map((socket) => gone(socket)));
  assert.match(await answerOf(await send(good)), /^HTTP\/1\.1 200 /);
  await gone(silent[6]!);
  assert.ok(silent.slice(7).every((socket) => !socket.destroyed));
});

test('a connection that brought a good request outlives any number that did not', async (t) => {
  const { crowd, send } = await crowded(t);
  const known = await send(good);
  await answerOf(known);
  await crowd(50);
  known.write(good);
  assert.match(await answerOf(known), /^HTTP\/1\.1 200 /);
});

test('a request that was refused makes no connection known', async (t) => {
  const { crowd, send } = await crowded(t);
  const refused = await Promise.all([
    send(good.replace('POST', 'GET')),
    send(`${head(1)}{`),
    send(`${head(2, 'content-encoding: gzip')}{}`),
    send(good.replace('/tenants/sync', '/none')),
  ]);
  for (const answer of await Promise.all(refused.map(answerOf))) assert.match(answer, /^HTTP\/1\.1 4/);
  await crowd(4);
  await Promise.all(refused.map((socket) => gone(socket)));
});

test('half a head takes no place for long either', async (t) => {
  const { crowd, send } = await crowded(t);
  const half = await send('POST /tenants/sync HTTP/1.1\r\nhost:');
  await crowd();
  await gone(half);
});

test('heads whose bodies do not come take no place from a connection that is known, nor from a new one', async (t) => {
  const { send } = await crowded(t);
  const known = await send(good);
  await answerOf(known);
  const holding = [];
  for (let index = 0; index < 20; index += 1) holding.push(await send(head(2)));
  known.write(good);
  assert.match(await answerOf(known), /^HTTP\/1\.1 200 /);
  assert.match(await answerOf(await send(good)), /^HTTP\/1\.1 200 /);
  await Promise.all(holding.slice(0, 16).map((socket) => gone(socket, 1_500)));
});

test('a request under way is not cut, whoever comes; the next good one waits for nobody who is idle', async (t) => {
  const { promise: free, resolve: release } = Promise.withResolvers<undefined>();
  const routes = routeThat(async () => {
    await free;
    return { here: true };
  });
  const { crowd, send } = await crowded(t, { routes });
  const busy = await Promise.all(Array.from({ length: 4 }, () => send(good)));
  await sleep(100);
  const late = await crowd(3);
  await Promise.all(late.map((socket) => gone(socket)));
  const answers = Promise.all(busy.map(answerOf));
  release(undefined);
  for (const answer of await answers) assert.match(answer, /^HTTP\/1\.1 200 /);
  assert.match(await answerOf(await send(good)), /^HTTP\/1\.1 200 /);
  await gone(busy[0]!);
});

test('the hook allows 256 connections', async (t) => {
  const { send } = await listening(t, { routes: here });
  const many = await Promise.all(Array.from({ length: 256 }, () => send('')));
  await sleep(50);
  assert.ok(many.every((socket) => !socket.destroyed));
  await send('');
  await Promise.any(many.map((socket) => gone(socket)));
  assert.equal(many.filter((socket) => socket.closed).length, 1);
});

test('after so many requests a connection is told to close, so that new replicas get their share', async (t) => {
  const { send } = await listening(t, { routes: here, limits: { requestsPerConnection: 3 } });
  const socket = await send(good);
  for (let times = 0; times < 2; times += 1) {
    assert.doesNotMatch(await answerOf(socket), /connection: close/i);
    socket.write(good);
  }
  assert.match(await answerOf(socket), /^HTTP\/1\.1 200 [\s\S]*connection: close/i);
});

test('a port that a client uses again is a new connection, whatever the former one still does', () => {
  const server = new EventEmitter();
  const ended: string[] = [];
  const connect = (name: string) => {
    const address = { remoteAddress: '192.0.2.1', remotePort: 40_000, localAddress: '192.0.2.2' };
    const socket = Object.assign(new EventEmitter(), address, { destroy: () => ended.push(name) });
    server.emit('connection', socket);
    return socket;
  };
  const connections = boundConnections(server as unknown as Server, 10);
  const [socket, response] = [connect('former'), new EventEmitter()];
  connections.work(socket as unknown as Socket, response as unknown as ServerResponse);
  connect('new');
  response.emit('close');
  connections.endAll();
  assert.deepEqual(ended, ['new']);
});
