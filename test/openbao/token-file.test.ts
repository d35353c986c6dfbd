import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';

import { createTokenFile } from '../../src/openbao/token-file.ts';
import { startHttpStub } from '../http-stub.ts';
import { troubleOf } from '../trouble-of.ts';
import { exampleCredential, examplePath, passwordCanary, storeAt } from './example.ts';
import { startTestOpenBao } from './open-bao.ts';

const fileIn = async (context: TestContext): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'openbao-token-'));
  context.after(() => rm(folder, { recursive: true, force: true }));
  return join(folder, 'token');
};

test('a token that was replaced in its file is taken at the first refusal, for reads and for writes', async (context) => {
  await using bao = await startTestOpenBao();
  const file = await fileIn(context);
  await writeFile(file, `${bao.operatorToken}\n`);
  const store = storeAt(bao.address, '', { token: createTokenFile(file) });
  await store.write(examplePath('a'), exampleCredential(), 0);

  await bao.admin('POST', 'auth/token/revoke', { token: bao.operatorToken });
  const refused = await troubleOf(store.read(examplePath('a')), bao.operatorToken, passwordCanary);
  assert.equal(refused.reason, 'OpenBaoForbidden');
  await writeFile(file, bao.rootToken);
  await store.write(examplePath('b'), exampleCredential(), 0);
  assert.equal((await store.read(examplePath('a'))).stored.kind, 'live');
});

test('the file is read once as long as the token is taken, and at most once more for each refusal', async (context) => {
  const file = await fileIn(context);
  await writeFile(file, 'old');
  const sent: unknown[] = [];
  await using stub = await startHttpStub(({ headers }) => {
    sent.push(headers['x-vault-token']);
    return { status: 403, body: { errors: ['permission denied'] } };
  });
  const store = storeAt(stub.url, '', { token: createTokenFile(file) });
  await troubleOf(store.read(examplePath('x')));
  await writeFile(file, 'new');
  await troubleOf(store.read(examplePath('x')));
  await troubleOf(store.read(examplePath('x')));
  assert.deepEqual(sent, ['old', 'old', 'new', 'new']);
});

test('requests that are refused at the same moment settle on the newest token', async (context) => {
  const file = await fileIn(context);
  await writeFile(file, 'old');
  const source = createTokenFile(file);
  const old = await source.current();
  await writeFile(file, 'new');
  const renewed = await Promise.all([source.renew(old), source.renew(old)]);
  await rm(file);
  renewed.push(await source.renew(old), await source.current());
  assert.deepEqual(
    renewed.map((token) => token.reveal()),
    ['new', 'new', 'new', 'new'],
  );
});

test('a file without a token is told, and nothing is sent', async (context) => {
  const file = await fileIn(context);
  await using stub = await startHttpStub(() => ({ body: {} }));
  const store = storeAt(stub.url, '', { token: createTokenFile(file) });
  assert.equal((await troubleOf(store.read(examplePath('x')))).reason, 'OpenBaoLoginFailed');
  for (const text of ['', '\n', 'CANARY\r\nX-Injected: 1', 'CANARYé']) {
    await writeFile(file, text);
    assert.equal((await troubleOf(store.read(examplePath('x')), 'CANARY')).reason, 'OpenBaoLoginFailed');
  }
  assert.deepEqual(stub.seen, []);
});
