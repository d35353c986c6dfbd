import { once } from 'node:events';
import { connect, type AddressInfo, type Socket } from 'node:net';
import type { TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { trialApp } from './trial-app.ts';

/** The head of a hook request whose body has that many bytes. */
export const head = (length: number, ...headers: string[]): string =>
  [
    'POST /tenants/sync HTTP/1.1',
    'host: operator',
    'content-type: application/json',
    `content-length: ${length}`,
    ...headers,
    '\r\n',
  ].join('\r\n');

/** A trial app that listens, and connections to it, which are gone when the test is over. */
export async function listening(t: TestContext, options: Parameters<typeof trialApp>[0] = {}) {
  const trial = trialApp(options);
  const sockets: Socket[] = [];
  t.after(async () => {
    for (const socket of sockets) socket.destroy();
    await trial.app.close();
  });
  await trial.app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = trial.app.server.address() as AddressInfo;
  /** Opens a connection and writes `text`. */
  const send = async (text: string): Promise<Socket> => {
    const socket = connect(port, '127.0.0.1').setEncoding('utf8');
    sockets.push(socket);
    await once(socket, 'connect');
    // What is ended by the other side may be reset.
    socket.on('error', () => undefined);
    if (text !== '') socket.write(text);
    return socket;
  };
  return { ...trial, port, send };
}

/** What comes next on this connection. */
export const answerOf = async (socket: Socket): Promise<string> =>
  String((await once(socket, 'data', { signal: AbortSignal.timeout(10_000) }))[0]);

/** All that comes until the other side ends the connection. */
export async function everythingOf(socket: Socket): Promise<string> {
  let text = '';
  socket.on('data', (more: string) => (text += more));
  await gone(socket);
  return text;
}

/**
 * Resolves when the connection is over, whether it was ended or reset. Waits long for a machine that is busy, and less
 * than the times that the product gives to connections in general.
 */
export async function gone(socket: Socket, milliseconds = 20_000): Promise<void> {
  if (socket.closed) return;
  const late = new AbortController();
  const closed = new Promise<'closed'>((resolve) => {
    socket.once('close', () => resolve('closed')).resume();
  });
  const first = await Promise.race([closed, sleep(milliseconds, 'late', { signal: late.signal })]);
  late.abort();
  if (first === 'late') throw new Error(`the connection was still open after ${milliseconds} ms`);
}
