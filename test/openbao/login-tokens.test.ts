import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Trouble } from '../../src/errors.ts';
import { LoginTokens, type LoggedIn } from '../../src/openbao/login-tokens.ts';
import { Secret } from '../../src/secret.ts';
import { troubleOf } from '../trouble-of.ts';

const lifetimeMs = 900_000;

/** Logins that the test answers, by a clock that the test turns. Tokens are `t1`, `t2`, ... */
const trial = () => {
  const state = { now: 0, logins: 0, fails: false, revoked: [] as string[], told: [] as string[] };
  const gate = { open: Promise.resolve() };
  const login = async (): Promise<LoggedIn> => {
    state.logins += 1;
    const token = new Secret(`t${state.logins}`);
    await gate.open;
    if (state.fails) throw new Trouble('OpenBaoLoginFailed', `failure ${state.logins}`);
    return { token, lifetimeMs };
  };
  const tokens = new LoginTokens({
    login,
    revoke: (token) => Promise.resolve(void state.revoked.push(token.reveal())),
    clock: () => state.now,
    onLogin: ({ outcome }) => state.told.push(outcome),
  });
  const current = async () => (await tokens.current()).reveal();
  const renew = async (token: string) => (await tokens.renew(new Secret(token))).reveal();
  return { state, gate, tokens, current, renew };
};

/** Lets everything that is due happen. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

test('one login serves all who wait for it, and all who come until two thirds of its life are over', async () => {
  const { state, current } = trial();
  const first = await Promise.all(Array.from({ length: 30 }, current));
  assert.deepEqual([...new Set(first)], ['t1']);
  state.now = lifetimeMs * 0.66;
  assert.equal(await current(), 't1');
  assert.equal(state.logins, 1);
});

test('after two thirds a new one is got behind the back of the callers, once', async () => {
  const { state, gate, current } = trial();
  await current();
  const { promise, resolve } = Promise.withResolvers<undefined>();
  gate.open = promise;
  state.now = lifetimeMs * 0.7;
  assert.deepEqual(await Promise.all([current(), current(), current()]), ['t1', 't1', 't1']);
  resolve(undefined);
  await settled();
  assert.equal(await current(), 't2');
  assert.equal(state.logins, 2);
});

test('a failure behind the back is no trouble before the token ends, and then the trouble is told', async () => {
  const { state, current, tokens } = trial();
  await current();
  state.fails = true;
  for (let percent = 70; percent < 100; percent += 1) {
    state.now = (lifetimeMs * percent) / 100;
    assert.equal(await current(), 't1');
    await settled();
  }
  state.now = lifetimeMs;
  assert.match((await troubleOf(tokens.current())).message, /^failure \d+$/);
  state.fails = false;
  state.now += 30_000;
  assert.match(await current(), /^t\d+$/);
});

test('a failure is remembered for 1, 2, 4, 8, 16 and then 30 seconds, and forgotten after a success', async () => {
  const { state, tokens, current } = trial();
  state.fails = true;
  const pauses: number[] = [];
  for (let failure = 1; failure <= 7; failure += 1) {
    const trouble = await troubleOf(tokens.current());
    assert.equal(trouble.message, `failure ${failure}`);
    const start = state.now;
    while (state.logins === failure) {
      state.now += 500;
      await tokens.current().catch(() => undefined);
    }
    pauses.push((state.now - start) / 1000);
  }
  assert.deepEqual(pauses, [1, 2, 4, 8, 16, 30, 30]);
  state.fails = false;
  state.now += 30_000;
  await current();
  state.fails = true;
  state.now += lifetimeMs;
  const { logins } = state;
  await troubleOf(tokens.current());
  state.now += 1_000;
  await troubleOf(tokens.current());
  assert.equal(state.logins, logins + 2);
});

test('who shows an older token gets the newer one without a login', async () => {
  const { state, current, renew } = trial();
  await current();
  state.now = 10_000;
  assert.deepEqual(await Promise.all([renew('t1'), renew('t1'), renew('t1')]), ['t2', 't2', 't2']);
  assert.equal(await renew('t1'), 't2');
  assert.equal(state.logins, 2);
});

test('a new token that is refused too is not replaced, for a time that doubles up to five minutes', async () => {
  const { state, current, renew } = trial();
  let token = await current();
  const pauses: number[] = [];
  for (let login = 1; login <= 8; login += 1) {
    const start = state.now;
    while ((await renew(token)) === token) state.now += 500;
    pauses.push((state.now - start) / 1000);
    token = await current();
  }
  assert.deepEqual(pauses, [5, 10, 20, 40, 80, 160, 300, 300]);
});

test('a login that was due for its age, and no refusal, starts that anew', async () => {
  const { state, current, renew } = trial();
  await current();
  state.now = 5_000;
  assert.equal(await renew('t1'), 't2');
  state.now += lifetimeMs;
  assert.equal(await current(), 't3');
  state.now += 5_000;
  assert.equal(await renew('t3'), 't4');
});

test('a token that worked is replaced at its first refusal, again and again while that helps', async () => {
  const { state, tokens, current, renew } = trial();
  let token = await current();
  for (let revocation = 1; revocation <= 6; revocation += 1) {
    tokens.worked(new Secret(token), false);
    state.now += 100;
    const next = await renew(token);
    assert.notEqual(next, token);
    tokens.worked(new Secret(next), true);
    token = next;
  }
});

test('a policy that lacks a right for some calls costs a login each half minute, and no success of others more', async () => {
  const { state, tokens, current, renew } = trial();
  await current();
  const logins: number[] = [];
  for (; state.now < 300_000; state.now += 1_000) {
    const { logins: before } = state;
    tokens.worked(await tokens.current(), false);
    await renew(await current());
    if (state.logins > before) logins.push(state.now / 1_000);
  }
  assert.deepEqual(logins, [0, 10, 30, 61, 92, 123, 154, 185, 216, 247, 278]);
});

test('a pause that grew long does not hold up a token that works again and is revoked later', async () => {
  const { state, tokens, current, renew } = trial();
  await current();
  for (; state.now < 700_000; state.now += 1_000) await renew(await current());
  const token = await current();
  tokens.worked(new Secret(token), false);
  state.now += 30_000;
  assert.notEqual(await renew(token), token);
});

test('a refused token stays in use when the login fails: it may be good for other calls', async () => {
  const { state, current, tokens } = trial();
  await current();
  state.now = 6_000;
  state.fails = true;
  assert.equal((await troubleOf(tokens.renew(new Secret('t1')))).reason, 'OpenBaoLoginFailed');
  assert.equal(await current(), 't1');
  assert.equal((await troubleOf(tokens.renew(new Secret('t1')))).message, 'failure 2');
  assert.equal(state.logins, 2);
});

test('a bug in the login is not remembered', async () => {
  let calls = 0;
  const tokens = new LoginTokens({
    login: () => {
      calls += 1;
      return calls === 1
        ? Promise.reject(new Error('bug'))
        : Promise.resolve({ token: new Secret('t'), lifetimeMs });
    },
    revoke: () => Promise.resolve(),
    clock: () => 0,
  });
  await assert.rejects(tokens.current(), { message: 'bug' });
  assert.equal((await tokens.current()).reveal(), 't');
});

test('each login is told with its outcome; closing revokes the token in use', async () => {
  const { state, tokens, current } = trial();
  await tokens.close();
  state.fails = true;
  await troubleOf(tokens.current());
  state.fails = false;
  state.now = 1_000;
  await current();
  await tokens.close();
  assert.deepEqual([state.told, state.revoked], [['OpenBaoLoginFailed', 'ok'], ['t2']]);
});
