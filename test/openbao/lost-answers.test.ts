import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import type { CredentialStore } from '../../src/reconcile/ports.ts';
import { troubleOf } from '../trouble-of.ts';
import { startCuttingProxy, type CuttingProxy } from './cutting-proxy.ts';
import { exampleCredential, examplePath, exampleRecord, passwordCanary, storeAt } from './example.ts';
import { startTestOpenBao, type TestOpenBao } from './open-bao.ts';

let bao: TestOpenBao;
let proxy: CuttingProxy;
let store: CredentialStore;

before(async () => {
  bao = await startTestOpenBao();
  proxy = await startCuttingProxy(bao.address);
  store = storeAt(proxy.url, bao.operatorToken);
});
after(async () => {
  await proxy[Symbol.asyncDispose]();
  await bao[Symbol.asyncDispose]();
});

const sentSince = (start: number, method: string): number =>
  proxy.seen.slice(start).filter((line) => line.startsWith(method)).length;

test('a write whose answer is lost has an unknown outcome, is not repeated, and reading back tells', async () => {
  const path = examplePath('lost-write');
  const start = proxy.seen.length;
  proxy.cutAnswerOf('POST');
  const trouble = await troubleOf(
    store.write(path, exampleCredential(), 0),
    passwordCanary,
    bao.operatorToken,
  );
  assert.deepEqual([trouble.reason, trouble.outcomeUnknown], ['OpenBaoUnreachable', true]);
  assert.equal(sentSince(start, 'POST'), 1);
  const { stored } = await store.read(path);
  assert.deepEqual(stored.kind === 'live' && [stored.version, stored.record], [1, exampleRecord]);
});

test('a deletion whose answer is lost has an unknown outcome, and the proof tells', async () => {
  const path = examplePath('lost-delete');
  await store.write(path, exampleCredential(), 0);
  proxy.cutAnswerOf('DELETE');
  const trouble = await troubleOf(store.delete(path));
  assert.deepEqual([trouble.reason, trouble.outcomeUnknown], ['OpenBaoUnreachable', true]);
  assert.equal(await store.isGone(path), true);
});

test('a read whose answer is lost is made once more', async () => {
  const path = examplePath('lost-read');
  await store.write(path, exampleCredential(), 0);
  const start = proxy.seen.length;
  proxy.cutAnswerOf('GET');
  assert.equal((await store.read(path)).stored.kind, 'live');
  assert.equal(sentSince(start, 'GET'), 2);
});
