import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Trouble } from '../../src/errors.ts';
import { gatedCredentials } from '../../src/openbao/gated-credentials.ts';
import { startHttpStub } from '../http-stub.ts';
import { exampleCredential, examplePath, storeAt } from './example.ts';
import { waitFor } from '../world/servers/wait-for.ts';

const version = { version: 1, created_time: '2026-01-01T00:00:00Z', deletion_time: '', destroyed: false };
const live = { body: { data: { data: {}, metadata: version } } };

test('while OpenBao hangs four calls wait and all others are turned away; then it is told at once', async () => {
  let hangs = true;
  await using openBao = await startHttpStub(() => (hangs ? undefined : live));
  const store = gatedCredentials(storeAt(openBao.url, 's.token'), () => performance.now());
  const outcomes: string[] = [];
  const read = (index: number) =>
    store.read(examplePath(`t${index}`)).then(
      () => outcomes.push('ok'),
      (error: unknown) => outcomes.push((error as Trouble).reason),
    );
  const ended = (outcome: string) => outcomes.filter((one) => one === outcome).length;

  const first = Promise.all(Array.from({ length: 50 }, (_, index) => read(index)));
  await waitFor('most to be turned away', () => ended('Busy') > 0);
  assert.deepEqual([ended('Busy'), outcomes.length], [46, 46]);
  await Promise.all(Array.from({ length: 50 }, (_, index) => read(index)));
  assert.equal(ended('Busy'), 96);
  await first;
  assert.equal(ended('OpenBaoUnreachable'), 4);
  const asked = openBao.seen.length;
  await Promise.all(Array.from({ length: 50 }, (_, index) => read(index)));
  assert.equal(ended('OpenBaoUnreachable'), 54);
  assert.equal(openBao.seen.length, asked, 'nobody asked');

  hangs = false;
  await waitFor('a read to pass', async () => {
    await read(0);
    return ended('ok') > 0;
  });
  await Promise.all(Array.from({ length: 50 }, (_, index) => read(index)));
  assert.equal(ended('ok'), 51);
});

test('a sealed OpenBao answers at once, and each call hears it from itself', async () => {
  let sealed = true;
  await using openBao = await startHttpStub(() =>
    sealed ? { status: 503, body: { errors: ['Vault is sealed'] } } : live,
  );
  const store = gatedCredentials(storeAt(openBao.url, 's.token'), () => performance.now());
  for (let index = 0; index < 3; index += 1) {
    await assert.rejects(store.read(examplePath('x')), { reason: 'OpenBaoSealed' });
    await assert.rejects(store.write(examplePath('x'), exampleCredential(), 0), { reason: 'OpenBaoSealed' });
  }
  sealed = false;
  assert.equal((await store.read(examplePath('x'))).stored.kind, 'live');
});
