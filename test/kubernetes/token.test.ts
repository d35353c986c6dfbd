import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';

import { createKubernetesReader } from '../../src/kubernetes/reader.ts';
import { startHttpStub } from '../http-stub.ts';
import { troubleOf } from '../trouble-of.ts';
import { instanceObject } from './objects.ts';

const folderOf = async (context: TestContext): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'kubernetes-token-'));
  context.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
};

/** A reader whose token comes from a file, the headers that it sent, and its clock in milliseconds. */
async function readerWithToken(context: TestContext) {
  const tokenFile = join(await folderOf(context), 'token');
  const sent: unknown[] = [];
  const api = await startHttpStub(({ headers }) => {
    sent.push(headers.authorization);
    return { body: instanceObject('main') };
  });
  context.after(() => api[Symbol.asyncDispose]());
  const time = { now: 0 };
  const clock = () => time.now;
  const reader = createKubernetesReader({ url: api.url, operatorNamespace: 'ops', tokenFile, clock });
  return { tokenFile, sent, time, reader };
}

const unauthorized = { status: 401, body: { kind: 'Status', reason: 'Unauthorized' } };

test('the token is sent, and read again after a minute', async (context) => {
  const { tokenFile, sent, time, reader } = await readerWithToken(context);
  await writeFile(tokenFile, 'first\n');
  await reader.freshInstance('main');
  await writeFile(tokenFile, 'second\n');
  time.now = 59_000;
  await reader.freshInstance('main');
  time.now = 61_000;
  await reader.freshInstance('main');
  assert.deepEqual(sent, ['Bearer first', 'Bearer first', 'Bearer second']);
});

test('a 401 makes it read the token again, and the request is sent once more', async (context) => {
  const tokenFile = join(await folderOf(context), 'token');
  await using api = await startHttpStub(({ headers }) =>
    headers.authorization === 'Bearer new' ? { body: instanceObject('main') } : unauthorized,
  );
  const reader = createKubernetesReader({ url: api.url, operatorNamespace: 'ops', tokenFile });
  await writeFile(tokenFile, 'CANARY-old');
  const { reason } = await troubleOf(reader.freshInstance('main'), 'CANARY-old');
  assert.equal(reason, 'KubernetesForbidden');
  assert.equal(api.seen.length, 1, 'the same token is not sent twice');
  await writeFile(tokenFile, 'new');
  assert.equal((await reader.freshInstance('main'))?.metadata.name, 'main');
  assert.equal(api.seen.length, 3);
});

test('without a token in the file nothing is sent', async (context) => {
  const folder = await folderOf(context);
  await using api = await startHttpStub(() => ({ body: instanceObject('main') }));
  await writeFile(join(folder, 'empty'), '\n');
  await writeFile(join(folder, 'broken'), 'CANARY\nbroken');
  for (const name of ['missing', 'empty', 'broken']) {
    const tokenFile = join(folder, name);
    const reader = createKubernetesReader({ url: api.url, operatorNamespace: 'ops', tokenFile });
    assert.equal((await troubleOf(reader.instance('main'), 'CANARY')).reason, 'KubernetesForbidden');
  }
  assert.deepEqual(api.seen, []);
});

test('a file that is empty, broken or away for a moment costs nothing once there was a token, and else that moment', async (context) => {
  const { tokenFile, sent, time, reader } = await readerWithToken(context);
  await writeFile(tokenFile, '');
  assert.equal((await troubleOf(reader.freshInstance('main'))).reason, 'KubernetesForbidden');
  await writeFile(tokenFile, 'first');
  await reader.freshInstance('main');
  for (const change of [
    () => writeFile(tokenFile, '\n'),
    () => writeFile(tokenFile, 'CANARY\nbroken'),
    () => rm(tokenFile),
  ]) {
    await change();
    time.now += 61_000;
    await reader.freshInstance('main');
  }
  await writeFile(tokenFile, 'second');
  await reader.freshInstance('main');
  assert.deepEqual(sent, [...Array.from({ length: 4 }, () => 'Bearer first'), 'Bearer second']);
});

test('the token is in no error, whatever goes wrong', async (context) => {
  const tokenFile = join(await folderOf(context), 'token');
  const canary = 'CANARY1234567890';
  await writeFile(tokenFile, canary);
  const faults = [
    { status: 500, body: canary },
    { status: 403, body: { message: canary } },
    { status: 302, body: '', headers: { location: `https://${canary}/` } },
    { body: { echo: canary } },
    undefined,
  ];
  for (const fault of faults) {
    await using api = await startHttpStub((request) => {
      if (fault === undefined) request.socket.destroy();
      return fault;
    });
    const reader = createKubernetesReader({ url: api.url, operatorNamespace: 'ops', tokenFile });
    await troubleOf(reader.instance('main'), canary);
    await troubleOf(reader.tenantsOf('main'), canary);
    await troubleOf(reader.managementSecret('main'), canary);
  }
});
