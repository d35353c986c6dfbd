import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { Secret } from '../../src/secret.ts';
import { troubleOf } from '../trouble-of.ts';
import { documentedPolicy } from '../world/servers/openbao-policies.ts';
import { exampleCredential, examplePath, exampleRecord, keyOf, passwordCanary, storeAt } from './example.ts';
import { startTestOpenBao, type TestOpenBao } from './open-bao.ts';

/* `delete_version_after`, of the mount or of one record, would let a password vanish by itself. */
let bao: TestOpenBao;

before(async () => {
  bao = await startTestOpenBao();
});
after(() => bao[Symbol.asyncDispose]());

const names = { mount: 'pg-tenants', installation: 'prod' };

const setMount = (duration: string) =>
  bao.admin('POST', 'pg-tenants/config', { delete_version_after: duration });

/** Every test leaves the mount as it was. */
const withMount = async (duration: string, use: () => Promise<void>): Promise<void> => {
  await setMount(duration);
  await use().finally(() => setMount('0s'));
};

const versionOf = async (name: string): Promise<unknown> => {
  const { status, body } = await bao.admin('GET', `pg-tenants/metadata/${keyOf(examplePath(name))}`);
  return status === 404 ? 0 : (body['data'] as { current_version: number }).current_version;
};

const own = () => storeAt(bao.address, bao.operatorToken);

test('on a mount that lets records expire nothing is written, and it goes on once that is mended', async () => {
  const path = examplePath('mount');
  await withMount('720h', async () => {
    const trouble = await troubleOf(own().write(path, exampleCredential(), 0), passwordCanary);
    assert.deepEqual(
      [trouble.reason, trouble.message, trouble.outcomeUnknown],
      [
        'OpenBaoExpiresRecords',
        'cannot write the credential: OpenBao would delete it by itself; set delete_version_after of the mount to 0 (at pg-tenants/config)',
        false,
      ],
    );
    assert.deepEqual((await own().read(path)).stored, { kind: 'absent' });
  });
  await own().write(path, exampleCredential(), 0);
  assert.equal(await versionOf('mount'), 1);
});

test('a token that has ended does not go for one that may not ask: it is replaced first', async () => {
  const path = examplePath('ended');
  const token = {
    current: () => Promise.resolve(new Secret('ended')),
    renew: () => Promise.resolve(new Secret(bao.operatorToken)),
    worked: () => {
      token.current = token.renew;
    },
    close: () => Promise.resolve(),
  };
  await withMount('720h', async () => {
    const writing = storeAt(bao.address, '', { token }).write(path, exampleCredential(), 0);
    assert.match((await troubleOf(writing)).message, /set delete_version_after of the mount to 0/);
  });
  assert.equal(await versionOf('ended'), 0);
});

test('a rotation on such a mount leaves the version in use alone: it stays live and does not expire', async () => {
  const path = examplePath('rotation');
  await own().write(path, exampleCredential(), 0);
  await withMount('1s', async () => {
    const rotation = own().write(path, exampleCredential({ rotation: 'next' }), 1);
    assert.equal((await troubleOf(rotation)).reason, 'OpenBaoExpiresRecords');
    const { stored } = await own().read(path);
    assert.deepEqual(stored.kind === 'live' && [stored.version, stored.record], [1, exampleRecord]);
  });
});

test('a record with a delete_version_after of its own is treated alike', async () => {
  const path = examplePath('record');
  const set = (duration: string) =>
    bao.admin('POST', `pg-tenants/metadata/${keyOf(path)}`, { delete_version_after: duration });
  await set('1h');
  for (const cas of [0, 1]) {
    const { reason, message } = await troubleOf(own().write(path, exampleCredential(), cas));
    assert.equal(reason, 'OpenBaoExpiresRecords');
    assert.match(
      message,
      /set delete_version_after of this record to 0 \(at pg-tenants\/metadata\/prod\/shop\/record\/\S+\)$/,
    );
    await set('0s');
    await own().write(path, exampleCredential(), cas);
    await set('1h');
  }
  assert.equal(await versionOf('record'), 2);
});

test('a mount where expiry is switched off keeps a record that asks for it', async () => {
  const path = examplePath('off');
  await withMount('-1s', async () => {
    await bao.admin('POST', `pg-tenants/metadata/${keyOf(path)}`, { delete_version_after: '1h' });
    await own().write(path, exampleCredential(), 0);
  });
  assert.equal((await own().read(path)).stored.kind, 'live');
});

test('a token that may not look is told by the answer, and the way out that the message names works', async () => {
  const policy = await documentedPolicy('openbao-policy', names);
  const blind = policy.replace(/^path "pg-tenants\/config".*$/m, '');
  assert.notEqual(blind, policy);
  const store = storeAt(bao.address, await bao.tokenWith(blind));
  const path = examplePath('blind');
  await withMount('1h', async () => {
    for (const call of [() => store.write(path, exampleCredential(), 0), () => store.read(path)]) {
      const { reason, message } = await troubleOf(call(), passwordCanary);
      assert.equal(reason, 'OpenBaoExpiresRecords');
      assert.match(
        message,
        /set delete_version_after of the mount and of the record to 0, then undelete the/,
      );
    }
  });
  await bao.admin('POST', `pg-tenants/undelete/${keyOf(path)}`, { versions: [1] });
  const { stored } = await store.read(path);
  assert.deepEqual(stored.kind === 'live' && stored.record, exampleRecord);
});
