import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { Trouble } from '../../src/errors.ts';
import type { CredentialStore } from '../../src/reconcile/ports.ts';
import { troubleOf } from '../trouble-of.ts';
import { exampleCredential, examplePath, keyOf, passwordCanary, storeAt } from './example.ts';
import { startTestOpenBao, type TestOpenBao } from './open-bao.ts';

let bao: TestOpenBao;

before(async () => {
  bao = await startTestOpenBao();
});
after(() => bao[Symbol.asyncDispose]());

/** Every operation must fail for the same reason, and show neither password nor token. */
const allFail = async (store: CredentialStore, reason: string, token: string): Promise<void> => {
  const path = examplePath('refused');
  const calls = {
    read: () => store.read(path),
    write: () => store.write(path, exampleCredential(), 0),
    delete: () => store.delete(path),
    isGone: () => store.isGone(path),
  };
  for (const [name, call] of Object.entries(calls)) {
    const trouble = await troubleOf(call(), passwordCanary, token);
    assert.equal(trouble.reason, reason, name);
  }
};

test('a mount that does not exist is an invalid mount', async () => {
  await allFail(
    storeAt(bao.address, bao.rootToken, { mount: 'nowhere' }),
    'OpenBaoMountInvalid',
    bao.rootToken,
  );
});

test('an engine of another kind is an invalid mount', async () => {
  await bao.admin('POST', 'sys/mounts/transit', { type: 'transit' });
  await allFail(
    storeAt(bao.address, bao.rootToken, { mount: 'transit' }),
    'OpenBaoMountInvalid',
    bao.rootToken,
  );
});

test('a namespace that does not exist is told as such', async () => {
  const store = storeAt(bao.address, bao.rootToken, { namespace: 'nowhere' });
  const { reason, message } = await troubleOf(store.read(examplePath('x')));
  assert.equal(reason, 'OpenBaoMountInvalid');
  assert.match(message, /namespace does not exist/);
});

test('KV version 1 is noticed by the read, before a password is ever written to it', async () => {
  await bao.admin('POST', 'sys/mounts/kv1', { type: 'kv', options: { version: '1' } });
  const store = storeAt(bao.address, bao.rootToken, { mount: 'kv1' });
  const path = examplePath('kv1');
  assert.equal((await troubleOf(store.read(path))).reason, 'OpenBaoMountInvalid');
  assert.equal((await troubleOf(store.isGone(path))).reason, 'OpenBaoMountInvalid');
  // Were it to be written all the same: the look before the write notices it too, and no password is there.
  assert.equal((await troubleOf(store.write(path, exampleCredential(), 0))).reason, 'OpenBaoMountInvalid');
  const { status } = await bao.admin('GET', `kv1/data/${keyOf(path)}`);
  assert.equal(status, 404);
});

test('KV version 1 is noticed by the answer to a write, by a token that may not look at the mount', async () => {
  await bao.admin('POST', 'sys/mounts/kv1-blind', { type: 'kv', options: { version: '1' } });
  const token = await bao.tokenWith(
    'path "kv1-blind/data/*" { capabilities = ["create", "read", "update"] }',
  );
  const store = storeAt(bao.address, token, { mount: 'kv1-blind' });
  const path = examplePath('kv1');
  assert.equal((await troubleOf(store.write(path, exampleCredential(), 0))).reason, 'OpenBaoMountInvalid');
  assert.equal((await troubleOf(store.read(path), passwordCanary)).reason, 'OpenBaoMountInvalid');
});

test('a token that is not valid is forbidden', async () => {
  const token = 's.CANARYtokenCANARYtoken';
  const store = storeAt(bao.address, token);
  const path = examplePath('x');
  for (const call of [() => store.read(path), () => store.write(path, exampleCredential(), 0)]) {
    const trouble = await troubleOf(call(), token, passwordCanary);
    assert.equal(trouble.reason, 'OpenBaoForbidden');
    assert.equal(trouble.outcomeUnknown, false);
  }
});

test("another installation's records are forbidden to the operator's token", async () => {
  const store = storeAt(bao.address, bao.operatorToken);
  const path = { ...examplePath('x'), installation: 'production' };
  assert.equal((await troubleOf(store.read(path))).reason, 'OpenBaoForbidden');
  assert.equal((await troubleOf(store.write(path, exampleCredential(), 0))).reason, 'OpenBaoForbidden');
  assert.equal((await troubleOf(store.delete(path))).reason, 'OpenBaoForbidden');
  assert.equal((await troubleOf(store.isGone(path))).reason, 'OpenBaoForbidden');
});

test('a rate limit is an error that mends itself', async () => {
  await bao.admin('POST', 'sys/mounts/limited', { type: 'kv', options: { version: '2' } });
  await bao.whenUsable('limited');
  await bao.admin('POST', 'sys/quotas/rate-limit/tight', { rate: 1, interval: '60s', path: 'limited/' });
  const store = storeAt(bao.address, bao.rootToken, { mount: 'limited' });
  await store.read(examplePath('x')).catch(() => undefined);
  const { reason, message } = await troubleOf(store.read(examplePath('x')));
  assert.deepEqual(
    [reason, message],
    ['OpenBaoError', 'cannot read the credential: OpenBao limits the rate of requests; it is tried again'],
  );
});

test('nobody at the address: unreachable, and a write is known not to have arrived', async () => {
  const store = storeAt('http://127.0.0.1:1', bao.rootToken);
  await allFail(store, 'OpenBaoUnreachable', bao.rootToken);
  const error = await store
    .write(examplePath('x'), exampleCredential(), 0)
    .catch((thrown: unknown) => thrown);
  assert.ok(error instanceof Trouble);
  assert.deepEqual(
    [error.outcomeUnknown, error.message],
    [false, 'cannot reach OpenBao: the connection was refused; it is tried again'],
  );
});

test('a sealed OpenBao is told as sealed', async () => {
  await using sealed = await startTestOpenBao();
  await sealed.admin('PUT', 'sys/seal');
  await allFail(storeAt(sealed.address, sealed.operatorToken), 'OpenBaoSealed', sealed.operatorToken);
});
