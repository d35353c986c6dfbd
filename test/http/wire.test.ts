import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { answerOf, everythingOf, gone, head, listening } from './listening-app.ts';
import { routeThat, trialApp } from './trial-app.ts';

const here = routeThat(() => Promise.resolve({ here: true }));
const chunked = (...headers: string[]) =>
  head(0, 'transfer-encoding: chunked', ...headers).replace('content-length: 0\r\n', '');

const junk: [sentence: string, text: string, answer: RegExp][] = [
  ['a request of HTTP/0.9', 'GET /tenants/sync\r\n\r\n', /^HTTP\/1\.1 405 /],
  ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', /^HTTP\/1\.1 400 .*this is no HTTP request/s],
  ['a TLS hello to a plain port', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', /^HTTP\/1\.1 400 /],
  ['bytes of any kind', '\x00\xff\xfe'.repeat(100), /^HTTP\/1\.1 400 /],
  ['a method that is none', 'BREW /tenants/sync HTTP/1.1\r\nhost: x\r\n\r\n', /^HTTP\/1\.1 400 /],
  [
    'no host',
    'POST /tenants/sync HTTP/1.1\r\ncontent-length: 0\r\n\r\n',
    /^HTTP\/1\.1 400 .*this is no HTTP/s,
  ],
  [
    'length and chunks at once',
    `${head(2, 'transfer-encoding: chunked')}2\r\n{}\r\n0\r\n\r\n`,
    /^HTTP\/1\.1 400 /,
  ],
  ['two lengths', `${head(2, 'content-length: 3')}{}`, /^HTTP\/1\.1 400 /],
  ['a length that is no number', `${head(2).replace('length: 2', 'length: x')}{}`, /^HTTP\/1\.1 400 /],
  ['a chunk whose length is no number', `${chunked()}zz\r\n`, /^HTTP\/1\.1 400 /],
  ['a header of 20 kB', head(2, `x: ${'a'.repeat(20_000)}`), /^HTTP\/1\.1 431 .*URL and the headers/s],
  ['a URL of 20 kB', head(2).replace('/sync', `/${'a'.repeat(20_000)}`), /^HTTP\/1\.1 431 /],
];

for (const [sentence, text, answer] of junk) {
  test(`${sentence} is refused, and the next connection is served`, async (t) => {
    const { send, log } = await listening(t, { routes: here });
    assert.match(await everythingOf(await send(text)).catch(String), answer);
    assert.match(await answerOf(await send(`${head(2)}{}`)), /^HTTP\/1\.1 200 /);
    assert.doesNotMatch(log(), /"level":"(?:warn|error|fatal)"/);
  });
}

test('a body in chunks is read, as long as it stays below the limit', async (t) => {
  const { send } = await listening(t, { routes: here, limits: { bodyBytes: 1_000 } });
  const good = await send(`${chunked()}1\r\n{\r\n1\r\n}\r\n0\r\n\r\n`);
  assert.match(await answerOf(good), /^HTTP\/1\.1 200 /);
  const long = await send(`${chunked()}400\r\n${' '.repeat(1_024)}\r\n400\r\n${' '.repeat(1_024)}\r\n`);
  assert.match(await answerOf(long), /^HTTP\/1\.1 413 .*the body is too large/s);
});

test('chunks that are cut are no bug', async (t) => {
  const { app, send, metrics, log } = await listening(t, { routes: here });
  const arrived = once(app.server, 'request');
  const socket = await send(`${chunked()}5\r\n{"a`);
  await arrived;
  socket.destroy();
  await sleep(50);
  assert.doesNotMatch(await metrics.render(), /code="500"/);
  assert.doesNotMatch(log(), /"level":"(?:warn|error|fatal)"/);
});

test('a body that is announced as too large is refused before it came, and the sender gets to see why', async (t) => {
  const { send } = await listening(t, { routes: here, limits: { bodyBytes: 1_000 } });
  const socket = await send(`${head(8_000_000)}${' '.repeat(100_000)}`);
  assert.match(await answerOf(socket), /^HTTP\/1\.1 413 .*the body is too large/s);
  for (let sent = 100_000; sent < 8_000_000; sent += 100_000) socket.write(' '.repeat(100_000));
  socket.write(`${head(2)}{}`);
  assert.equal(await everythingOf(socket), '', 'the rest is not taken for a request');
});

test('who asks whether to go on is told to, once it is let in', async (t) => {
  const { send } = await listening(t, { routes: here });
  const socket = await send(head(2, 'expect: 100-continue'));
  assert.match(await answerOf(socket), /^HTTP\/1\.1 100 Continue\r\n\r\n$/);
  socket.write('{}');
  assert.match(await answerOf(socket), /^HTTP\/1\.1 200 /);
});

test('a hundred headers are enough for anybody', async (t) => {
  const { send } = await listening(t, { routes: here });
  const more = (count: number) => Array.from({ length: count }, (_, index) => `x-${index}: 1`);
  assert.match(await answerOf(await send(`${head(2, ...more(90))}{}`)), /^HTTP\/1\.1 200 /);
  assert.match(await answerOf(await send(`${head(2, ...more(110))}{}`)), /^HTTP\/1\.1 431 /);
});

test('another expectation than to be told to go on is 417', async (t) => {
  const { send, metrics } = await listening(t, { routes: here });
  const answer = await answerOf(await send(head(2, 'expect: tea')));
  assert.match(answer, /^HTTP\/1\.1 417 [\s\S]*no other expectation/);
  assert.match(await metrics.render(), /refusals_total\{cause="malformed"\} 1/);
});

const hasty = { routes: here, limits: { headMs: 300, requestMs: 400 } };

test('half a head that nothing follows is 408', async (t) => {
  const { send, log } = await listening(t, hasty);
  const half = await send('POST /tenants/sync HTTP/1.1\r\n');
  assert.match(await everythingOf(half), /^HTTP\/1\.1 408 .*took too long to arrive/s);
  assert.doesNotMatch(log(), /"level":"(?:warn|error|fatal)"/);
});

test('a head that drips, and a connection that says nothing, are ended', async (t) => {
  const { send, log } = await listening(t, hasty);
  const dripping = await send('POST /tenants/sync HTTP/1.1\r\n');
  const drip = setInterval(() => {
    if (dripping.writable) dripping.write('x: 1\r\n');
  }, 50);
  t.after(() => {
    clearInterval(drip);
  });
  await Promise.all([dripping, await send('')].map((socket) => gone(socket)));
  assert.doesNotMatch(log(), /"level":"(?:warn|error|fatal)"/);
});

test('a connection that waits for its next request longer than it may is ended', async (t) => {
  const { send } = await listening(t, { routes: here, limits: { idleMs: 100 } });
  const socket = await send(`${head(2)}{}`);
  await answerOf(socket);
  await gone(socket);
});

test('what arrived while the process stood still is read before its time is judged', async (t) => {
  const { app, send } = await listening(t, { routes: here, limits: { bodyMs: 100 } });
  const arrived = once(app.server, 'request');
  const socket = await send(`${head(2)}{`);
  await arrived;
  socket.write('}');
  const until = performance.now() + 200;
  while (performance.now() < until);
  assert.match(await answerOf(socket), /^HTTP\/1\.1 200 /);
});

test('what Go keeps open for 90 s is not closed by us before, and an answer may take as long as its deadline', () => {
  const { server } = trialApp({ deadline: 12_000 }).app;
  const { headersTimeout, requestTimeout, keepAliveTimeout, timeout } = server;
  for (const time of [headersTimeout, requestTimeout, keepAliveTimeout, timeout]) assert.ok(time > 90_000);
  assert.ok(trialApp({ deadline: 240_000 }).app.server.timeout > 240_000);
});
