import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type AddressInfo } from 'node:net';
import { test } from 'node:test';

import { waitFor } from '../world/servers/wait-for.ts';
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
