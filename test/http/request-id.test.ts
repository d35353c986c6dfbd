import assert from 'node:assert/strict';
import { test } from 'node:test';

import { requestIdOf } from '../../src/http/request-id.ts';
import { linesOf } from '../log/kept-log.ts';
import { bodyFor, routeThat, trialApp } from './trial-app.ts';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

test('a request that has no id gets one of its own', () => {
  const [one, other] = [requestIdOf({ headers: {} }), requestIdOf({ headers: {} })];
  assert.match(one, uuid);
  assert.match(other, uuid);
  assert.notEqual(one, other);
});

test('an id from outside is kept when it is short and plain', () => {
  for (const given of ['a', 'A-1.b_2', 'x'.repeat(64)]) {
    assert.equal(requestIdOf({ headers: { 'x-request-id': given } }), given);
  }
});

test('any other id from outside is replaced', () => {
  const bad = ['', 'x'.repeat(65), 'a b', 'a\nb', 'a"b', '<script>', '\u202eabc', 'naïve', ['a', 'b']];
  for (const given of bad) assert.match(requestIdOf({ headers: { 'x-request-id': given } }), uuid);
});

test('the id is in the header of every answer', async () => {
  const { app, post, world } = trialApp();
  const given = { 'x-request-id': 'mine' };
  const answers = [
    await post('/tenants/sync', bodyFor(world, '/tenants/sync'), given),
    await post('/tenants/sync', '{', given),
    await post('/tenants/sync', '{}', given),
    await post('/none', '{}', given),
    await app.inject({ method: 'GET', url: '/tenants/sync', headers: given }),
  ];
  assert.deepEqual(
    answers.map(({ statusCode, headers }) => [statusCode, headers['x-request-id']]),
    [200, 400, 400, 404, 405].map((code) => [code, 'mine']),
  );
});

test('the lines about a malformed request and about a bug have the id of the answer', async () => {
  const bug = trialApp({ routes: routeThat(() => Promise.reject(new Error('what happened'))) });
  const malformed = trialApp();
  for (const [trial, phrase] of [
    [bug, 'bug'],
    [malformed, 'malformed hook request'],
  ] as const) {
    const { headers } = await trial.post('/tenants/sync', '{}');
    const [line, ...more] = linesOf(trial.log());
    assert.deepEqual([line?.['msg'], more], [phrase, []]);
    assert.match(String(headers['x-request-id']), uuid);
    assert.equal(line?.['requestId'], headers['x-request-id']);
  }
});

test('a handler hears the id of its request', async () => {
  const ids: string[] = [];
  const { post } = trialApp({
    routes: {
      '/tenants/sync': () => ({
        kind: 'request',
        handle: (requestId) => Promise.resolve(ids.push(requestId)),
      }),
    },
  });
  await post('/tenants/sync', '{}', { 'x-request-id': 'mine' });
  assert.deepEqual(ids, ['mine']);
});
