import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect as connectTcp } from 'node:net';
import { after, before, test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, type ConnectionOptions, type TLSSocket } from 'node:tls';

import { replaceCertificate } from '../../src/http/server.ts';
import type { Certificate } from '../world/servers/pki.ts';
import { waitFor } from '../world/servers/wait-for.ts';
import { startIssuer, type Issuer } from './issuer.ts';
import { answerOf, gone, head, listening } from './listening-app.ts';
import { routeThat } from './trial-app.ts';

let issuer: Issuer;
let first: Certificate;
let second: Certificate;
before(async () => {
  issuer = await startIssuer();
  [first, second] = [await issuer.issue('first'), await issuer.issue('second')];
});
after(() => issuer[Symbol.asyncDispose]());

const good = `${head(2)}{}`;
const here = routeThat(() => Promise.resolve({ here: true }));

/** A trial app with the first certificate, and TLS connections to it. */
async function secured(t: TestContext, options: Parameters<typeof listening>[1] = {}) {
  const trial = await listening(t, { routes: here, certificate: first, ...options });
  const open: TLSSocket[] = [];
  t.after(() => {
    for (const socket of open) socket.destroy();
  });
  /** As Go's client: it offers HTTP/2 as well. */
  const dial = async (more: ConnectionOptions = {}): Promise<TLSSocket> => {
    const offered = { ca: issuer.ca, ALPNProtocols: ['h2', 'http/1.1'] };
    const socket = connect({ host: '127.0.0.1', port: trial.port, ...offered, ...more }).setEncoding('utf8');
    open.push(socket);
    await once(socket, 'secureConnect');
    socket.on('error', () => undefined);
    return socket;
  };
  return { ...trial, dial };
}

const nameOf = (socket: TLSSocket): unknown => socket.getPeerCertificate().subject.CN;

test('the hook speaks TLS 1.3 and 1.2, and HTTP/1.1 with clients that would like HTTP/2', async (t) => {
  const { dial } = await secured(t);
  for (const maxVersion of ['TLSv1.3', 'TLSv1.2'] as const) {
    const socket = await dial({ maxVersion });
    assert.deepEqual([socket.getProtocol(), socket.alpnProtocol], [maxVersion, 'http/1.1']);
    assert.match(socket.getCipher().name, /GCM|CHACHA20/);
    socket.write(good);
    assert.match(await answerOf(socket), /^HTTP\/1\.1 200 /);
  }
});

const hopeless: [sentence: string, options: ConnectionOptions][] = [
  ['TLS 1.1', { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' }],
  ['a cipher without forward secrecy', { maxVersion: 'TLSv1.2', ciphers: 'AES128-GCM-SHA256' }],
  ['a cipher of the old kind', { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-AES128-SHA' }],
  ['HTTP/2 alone', { ALPNProtocols: ['h2'] }],
];

for (const [sentence, options] of hopeless) {
  test(`a client that speaks ${sentence} gets no connection, before and after a change of the certificate`, async (t) => {
    const { app, dial } = await secured(t);
    await assert.rejects(dial(options));
    replaceCertificate(app.server, second);
    await assert.rejects(dial(options));
    assert.equal(nameOf(await dial()), 'second');
  });
}

test('plain HTTP to the TLS port gets no answer, disturbs nobody, and is logged once a minute', async (t) => {
  const { dial, send, log } = await secured(t);
  for (let times = 0; times < 5; times += 1) await gone(await send(good));
  await waitFor('the line', () => log().includes('a TLS handshake failed'));
  assert.equal(log().match(/"msg":"a TLS handshake failed"/g)?.length, 1);
  assert.match(log(), /"level":"warn".*"code":"ERR_SSL_[A-Z_]+"/);
  const socket = await dial();
  socket.write(good);
  assert.match(await answerOf(socket), /^HTTP\/1\.1 200 /);
});

test('a new certificate is shown to new connections; old ones go on, and a request under way is answered', async (t) => {
  const { promise: free, resolve: release } = Promise.withResolvers<undefined>();
  let running = 0;
  const routes = routeThat(async () => {
    running += 1;
    await free;
    return { here: true };
  });
  const { app, dial } = await secured(t, { routes });
  const busy = await dial();
  assert.equal(nameOf(busy), 'first');
  busy.write(good);
  await waitFor('the request', () => running === 1);
  replaceCertificate(app.server, second);
  assert.equal(nameOf(await dial()), 'second');
  release(undefined);
  assert.match(await answerOf(busy), /^HTTP\/1\.1 200 /);
  busy.write(good);
  assert.match(await answerOf(busy), /^HTTP\/1\.1 200 /);
});

test('a session of the old certificate is not taken up again with the new one', async (t) => {
  const { app, dial } = await secured(t);
  const options = { maxVersion: 'TLSv1.2' } as const;
  const socket = await dial(options);
  const session = socket.getSession();
  assert.ok(session !== undefined);
  assert.equal((await dial({ ...options, session })).isSessionReused(), true);
  replaceCertificate(app.server, second);
  const next = await dial({ ...options, session });
  assert.deepEqual([next.isSessionReused(), nameOf(next)], [false, 'second']);
});

test('handshakes that never end take no place from anybody, and end by themselves', async (t) => {
  const { dial, send } = await secured(t, { limits: { connections: 4, handshakeMs: 500 } });
  const known = await dial();
  known.write(good);
  await answerOf(known);
  const hanging = [];
  // The first bytes of a hello, and silence.
  for (let index = 0; index < 20; index += 1) hanging.push(await send('\x16\x03\x01\x02\x00\x01'));
  await Promise.all(hanging.slice(0, 16).map((socket) => gone(socket)));
  const another = await dial();
  another.write(good);
  assert.match(await answerOf(another), /^HTTP\/1\.1 200 /);
  known.write(good);
  assert.match(await answerOf(known), /^HTTP\/1\.1 200 /, 'the known connection was left alone');
  await Promise.all(hanging.map((socket) => gone(socket)));
});

test('a request under way over TLS is not cut by any number of new connections', async (t) => {
  const { promise: free, resolve: release } = Promise.withResolvers<undefined>();
  let running = 0;
  const routes = routeThat(async () => {
    running += 1;
    await free;
    return { here: true };
  });
  const { dial, send } = await secured(t, { routes, limits: { connections: 3 } });
  const busy = await dial();
  busy.write(good);
  await waitFor('the request', () => running === 1);
  for (let index = 0; index < 20; index += 1) await send('\x16\x03\x01');
  await sleep(50);
  release(undefined);
  assert.match(await answerOf(busy), /^HTTP\/1\.1 200 /);
});

test('a body that never ends is cut over TLS as well', async (t) => {
  const { dial } = await secured(t, { limits: { bodyMs: 300 } });
  const socket = await dial();
  socket.write(`${head(100)}{`);
  await gone(socket);
});

test('the end does not wait for a handshake that hangs, or for a connection that says nothing', async (t) => {
  const { app, dial, port } = await secured(t, { deadline: 60_000, limits: { handshakeMs: 60_000 } });
  const hanging = connectTcp(port, '127.0.0.1').on('error', () => undefined);
  await once(hanging, 'connect');
  hanging.write('\x16\x03\x01');
  const silent = await dial();
  void app.close();
  await gone(hanging);
  await gone(silent);
});
