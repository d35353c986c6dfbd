import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createBearerGate } from '../../src/http/bearer.ts';
import { Secret } from '../../src/secret.ts';
import { answerOf, gone, head, listening } from './listening-app.ts';
import { bodyFor, hooks, trialApp } from './trial-app.ts';

const old = 'canary-old-0123456789abcdef01234567';
const young = 'canary-new-0123456789abcdef01234567';

const accepted: [sentence: string, header: string][] = [
  ['the old token', `Bearer ${old}`],
  ['the new token', `Bearer ${young}`],
  ['the scheme in lower case', `bearer ${old}`],
  ['the scheme in upper case', `BEARER ${old}`],
  ['two spaces in between', `Bearer  ${old}`],
];

const refused: [sentence: string, header: string | undefined][] = [
  ['no header', undefined],
  ['an empty header', ''],
  ['the scheme alone', 'Bearer'],
  ['the scheme and a space', 'Bearer '],
  ['the token alone', old],
  ['another scheme', `Basic ${old}`],
  ['a scheme that begins alike', `Bearers ${old}`],
  ['another token', `Bearer ${old.toUpperCase()}`],
  ['the beginning of the token', `Bearer ${old.slice(0, -1)}`],
  ['the token and more', `Bearer ${old}x`],
  ['both tokens', `Bearer ${old} ${young}`],
  ['both tokens with a comma', `Bearer ${old}, Bearer ${young}`],
  ['10 kB', `Bearer ${old}${'x'.repeat(10_000)}`],
  ['10 kB of spaces', `Bearer${' '.repeat(10_000)}`],
];

const withToken = (header: string | undefined): Record<string, string> =>
  header === undefined ? {} : { authorization: header };

test('each of the accepted tokens opens each hook', async () => {
  for (const [sentence, header] of accepted) {
    for (const path of hooks) {
      const { post, world } = trialApp({ tokens: [old, young] });
      const response = await post(path, bodyFor(world, path), withToken(header));
      assert.equal(response.statusCode, 200, `${sentence} ${path}`);
    }
  }
});

for (const [sentence, header] of refused) {
  test(`${sentence} is 401 for every path, whatever the body, and nobody is asked`, async () => {
    for (const path of [...hooks, '/none', '/metrics']) {
      const { post, world, log } = trialApp({ tokens: [old, young] });
      const response = await post(path, path === '/none' ? '{' : {}, withToken(header));
      assert.equal(response.statusCode, 401, path);
      assert.equal(response.body, '{"error":"a bearer token that is accepted here is missing"}');
      assert.equal(response.headers['www-authenticate'], 'Bearer');
      assert.deepEqual(world.gate.calls, []);
      assert.ok(!log().includes('canary'), 'no token is logged');
    }
  });
}

test('refusals are counted, and no token is to be seen in metrics', async () => {
  const { post, metrics } = trialApp({ tokens: [old] });
  await post('/tenants/sync', {}, withToken(`Bearer ${young}`));
  const shown = await metrics.render();
  assert.match(shown, /refusals_total\{cause="unauthorized"\} 1/);
  assert.ok(!shown.includes('canary'));
});

test('two headers are refused, although one of them is right', async (t) => {
  const { send } = await listening(t, { tokens: [old] });
  for (const [first, second] of [
    [old, young],
    [young, old],
    [old, old],
  ]) {
    const socket = await send(
      `${head(2, `authorization: Bearer ${first}`, `Authorization: Bearer ${second}`)}{}`,
    );
    assert.match(await answerOf(socket), /^HTTP\/1\.1 401 /);
  }
});

test('who has no token is answered before any of the body came, and not asked for it', async (t) => {
  const { send } = await listening(t, { tokens: [old] });
  for (const headers of [[], ['expect: 100-continue']]) {
    const socket = await send(head(1_000_000, ...headers));
    assert.match(await answerOf(socket), /^HTTP\/1\.1 401 /);
  }
});

test('a body that goes on after a refusal has as long as any, and not longer', async (t) => {
  const { send } = await listening(t, { tokens: [old], limits: { bodyMs: 300 } });
  const socket = await send(head(1_000));
  await answerOf(socket);
  const drip = setInterval(() => socket.write(' '), 50);
  t.after(() => {
    clearInterval(drip);
  });
  await gone(socket);
});

test('after a refusal the connection ends, once the body has come', async (t) => {
  const { send } = await listening(t, { tokens: [old] });
  const socket = await send(head(4));
  assert.match(await answerOf(socket), /^HTTP\/1\.1 401 [\s\S]*connection: close\r\n[\s\S]*\}$/i);
  assert.ok(socket.writable && !socket.readableEnded);
  socket.write('    ');
  await gone(socket, 1_500);
});

test('tokens that were replaced count at once, and the former ones no more', () => {
  const gate = createBearerGate([new Secret(old)]);
  assert.deepEqual([gate.admits([`Bearer ${old}`]), gate.admits([`Bearer ${young}`])], [true, false]);
  gate.accept([new Secret(old), new Secret(young)]);
  assert.deepEqual([gate.admits([`Bearer ${old}`]), gate.admits([`Bearer ${young}`])], [true, true]);
  gate.accept([new Secret(young)]);
  assert.deepEqual([gate.admits([`Bearer ${old}`]), gate.admits([`Bearer ${young}`])], [false, true]);
  gate.accept([]);
  assert.deepEqual([gate.admits([`Bearer ${young}`]), gate.admits(['Bearer '])], [false, false]);
});

test('without tokens nobody is asked for one', async () => {
  const { post, world } = trialApp();
  const response = await post('/tenants/sync', bodyFor(world, '/tenants/sync'), withToken('Basic x'));
  assert.equal(response.statusCode, 200);
});
