import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import type { CredentialPath } from '../../src/domain/credential.ts';
import { troubleOf } from '../trouble-of.ts';
import { exampleCredential, examplePath, exampleRecord, keyOf, passwordCanary, storeAt } from './example.ts';
import { startTestOpenBao, type TestOpenBao } from './open-bao.ts';

/* Everything here is done with a token that has the rights of the documented policy and no more. */
let bao: TestOpenBao;
const store = () => storeAt(bao.address, bao.operatorToken);
const data = (path: CredentialPath) => `pg-tenants/data/${keyOf(path)}`;

before(async () => {
  bao = await startTestOpenBao();
});
after(() => bao[Symbol.asyncDispose]());

test('what was never written is absent', async () => {
  assert.deepEqual(await store().read(examplePath('never')), {
    stored: { kind: 'absent' },
    password: undefined,
  });
});

test('a first write is read back whole, with version and creation time', async () => {
  const path = examplePath('first');
  await store().write(path, exampleCredential(), 0);
  const { stored, password } = await store().read(path);
  assert.equal(stored.kind, 'live');
  assert.equal(stored.version, 1);
  assert.match(stored.createdAt, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  assert.deepEqual(stored.record, exampleRecord);
  assert.equal(password?.reveal(), passwordCanary);
});

test('OpenBao holds strings only, and the password twice: as itself and in the uri', async () => {
  const path = examplePath('strings');
  await store().write(path, exampleCredential(), 0);
  const { body } = await bao.admin('GET', data(path));
  const kept = (body as { data: { data: Record<string, unknown> } }).data.data;
  assert.ok(Object.values(kept).every((value) => typeof value === 'string'));
  const holders = Object.entries(kept).filter(([, value]) => String(value).includes(passwordCanary));
  assert.deepEqual(
    holders.map(([key]) => key),
    ['password', 'uri'],
  );
});

test('repeating the first write is refused as an unknown outcome and changes nothing', async () => {
  const path = examplePath('repeat');
  await store().write(path, exampleCredential(), 0);
  const trouble = await troubleOf(
    store().write(path, exampleCredential({ rotation: 'other' }), 0),
    passwordCanary,
  );
  assert.equal(trouble.reason, 'OpenBaoError');
  assert.equal(trouble.outcomeUnknown, true);
  const { stored } = await store().read(path);
  assert.equal(stored.kind === 'live' && stored.record?.rotation, exampleRecord.rotation);
});

test('of several first writes at once exactly one wins', async () => {
  const path = examplePath('race');
  const writes = await Promise.allSettled(
    Array.from({ length: 5 }, (_, index) =>
      store().write(path, exampleCredential({ rotation: `r${index}` }), 0),
    ),
  );
  const winners = writes.flatMap(({ status }, index) => (status === 'fulfilled' ? [`r${index}`] : []));
  assert.equal(winners.length, 1);
  const { stored } = await store().read(path);
  assert.deepEqual(stored.kind === 'live' && [stored.version, stored.record?.rotation], [1, winners[0]]);
});

test('a new version needs the number of the current one', async () => {
  const path = examplePath('versions');
  await store().write(path, exampleCredential(), 0);
  await store().write(path, exampleCredential({ rotation: 'second' }), 1);
  assert.equal((await troubleOf(store().write(path, exampleCredential(), 1))).outcomeUnknown, true);
  const { stored } = await store().read(path);
  assert.deepEqual(stored.kind === 'live' && [stored.version, stored.record?.rotation], [2, 'second']);
});

for (const [what, remove] of [
  ['deleted', (path: CredentialPath) => bao.admin('DELETE', data(path))],
  [
    'destroyed',
    (path: CredentialPath) => bao.admin('POST', `pg-tenants/destroy/${keyOf(path)}`, { versions: [2] }),
  ],
] as const) {
  test(`a ${what} newest version is told as deleted, with its number, and not as absent`, async () => {
    const path = examplePath(what);
    await store().write(path, exampleCredential(), 0);
    await store().write(path, exampleCredential(), 1);
    await remove(path);
    assert.deepEqual(await store().read(path), {
      stored: { kind: 'deleted', version: 2 },
      password: undefined,
    });
    assert.equal(await store().isGone(path), false);
    assert.equal((await troubleOf(store().write(path, exampleCredential(), 0))).outcomeUnknown, true);
    await store().write(path, exampleCredential(), 2);
    const { stored } = await store().read(path);
    assert.equal(stored.kind === 'live' && stored.version, 3);
  });
}

test('deletion takes the whole history, and numbering starts again', async () => {
  const path = examplePath('gone');
  await store().write(path, exampleCredential(), 0);
  await store().write(path, exampleCredential(), 1);
  assert.equal(await store().isGone(path), false);
  await store().delete(path);
  assert.equal(await store().isGone(path), true);
  assert.deepEqual((await store().read(path)).stored, { kind: 'absent' });
  await store().write(path, exampleCredential(), 0);
  const { stored } = await store().read(path);
  assert.equal(stored.kind === 'live' && stored.version, 1);
});

test('deleting what is not there does no harm', async () => {
  const path = examplePath('nothing-to-delete');
  await store().delete(path);
  assert.equal(await store().isGone(path), true);
});

test('metadata without any version is an absent credential, but not gone', async () => {
  const path = examplePath('metadata-only');
  await bao.admin('POST', `pg-tenants/metadata/${keyOf(path)}`, { custom_metadata: { by: 'hand' } });
  assert.deepEqual((await store().read(path)).stored, { kind: 'absent' });
  assert.equal(await store().isGone(path), false);
});

test('data that is not ours is live without a record and without a password', async () => {
  const path = examplePath('foreign');
  const foreign = { username: 'x', password: passwordCanary, port: 5432 };
  await bao.admin('POST', data(path), { options: { cas: 0 }, data: foreign });
  const { stored, password } = await store().read(path);
  assert.equal(stored.kind, 'live');
  assert.equal(stored.record, null);
  assert.equal(password, undefined);
});

test('the URL for consumers leads to the record, and holds no credential', async () => {
  const path = examplePath('url');
  const here = storeAt(bao.address, bao.operatorToken, { externalAddress: `${bao.address}/` });
  await here.write(path, exampleCredential(), 0);
  const url = here.url(path);
  assert.equal(url, `${bao.address}/v1/pg-tenants/data/${keyOf(path)}`);
  const response = await fetch(url, { headers: { 'X-Vault-Token': bao.operatorToken } });
  assert.equal(response.status, 200);
});

test('a namespace is respected, in health and URL too', async () => {
  const path = examplePath('namespaced');
  await bao.admin('POST', 'sys/namespaces/team', {});
  await bao.admin('POST', 'team/sys/mounts/pg-tenants', { type: 'kv', options: { version: '2' } });
  const options = { namespace: 'team', externalAddress: bao.address };
  const team = storeAt(bao.address, bao.rootToken, options);
  await bao.whenUsable('team/pg-tenants');
  await team.write(path, exampleCredential(), 0);
  assert.deepEqual((await store().read(path)).stored, { kind: 'absent' }, 'the root namespace has none');
  const response = await fetch(team.url(path), { headers: { 'X-Vault-Token': bao.rootToken } });
  assert.equal(response.status, 200);
  await team.delete(path);
  assert.equal(await team.isGone(path), true);
});

test('a mount or a namespace that is no path of OpenBao is refused at once', () => {
  for (const bad of ['', 'a/', '../sys']) {
    assert.throws(() => storeAt(bao.address, 'x', { mount: bad }), /mount/);
    assert.throws(() => storeAt(bao.address, 'x', { namespace: bad }), /namespace/);
  }
});
