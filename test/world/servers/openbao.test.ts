import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';

import { KvClient, type KvSetUp, setUpKv } from './kv.ts';
import { askOpenBao } from './openbao-api.ts';
import { type OpenBao, startOpenBao } from './openbao.ts';

describe('an OpenBao in server mode', () => {
  let dir: string;
  let bao: OpenBao;
  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'pgtenancy-kept-openbao-'));
    bao = await startOpenBao({ mode: 'server', dir });
  });
  after(async () => {
    await bao.close();
    await rm(dir, { recursive: true });
  });

  it('keeps its records over a seal, a restart and a new start from the same folder', async () => {
    const { mount } = await setUpKv(bao, { installation: 'one' });
    await new KvClient(bao.root, mount).write('one/a', { password: 'x' }, 0);

    await bao.seal();
    assert.equal((await askOpenBao(bao.root, { method: 'GET', path: `${mount}/data/one/a` })).status, 503);
    await bao.unseal();
    assert.equal((await new KvClient(bao.root, mount).read('one/a'))?.version, 1);

    await bao.stop();
    await assert.rejects(new KvClient(bao.root, mount).read('one/a'));
    await bao.start();
    assert.equal((await new KvClient(bao.root, mount).read('one/a'))?.version, 1);

    await bao.close();
    bao = await startOpenBao({ mode: 'server', dir });
    assert.equal((await new KvClient(bao.root, mount).read('one/a'))?.data['password'], 'x');
  });
});

describe('KV v2 on an OpenBao in dev mode', () => {
  let bao: OpenBao;
  let kv: KvSetUp;
  let root: KvClient;
  const denied = /OpenBao answered 403/;
  before(async () => {
    bao = await startOpenBao({ mode: 'dev' });
    kv = await setUpKv(bao, { installation: 'one' });
    root = new KvClient(bao.root, kv.mount);
  });
  after(() => bao.close());

  it('checks the version on every write and keeps the versions', async () => {
    assert.equal(await root.write('one/b', { n: 1 }, 0), 1);
    await assert.rejects(root.write('one/b', { n: 2 }, 0), /did not match the current version/);
    assert.equal(await root.write('one/b', { n: 2 }, 1), 2);
    assert.deepEqual((await root.read('one/b', 1))?.data, { n: 1 });
    assert.deepEqual((await root.read('one/b'))?.data, { n: 2 });
    assert.equal(await root.read('one/b', 3), undefined);
    const uncontrolled = { method: 'POST', path: `${kv.mount}/data/one/b`, body: { data: {} } } as const;
    assert.equal((await askOpenBao(bao.root, uncontrolled)).status, 400);
  });

  it('forgets the newest version by a soft delete and the counter by deleting the metadata', async () => {
    await root.write('one/c', { n: 1 }, 0);
    await root.softDelete('one/c');
    assert.equal(await root.read('one/c'), undefined);
    assert.notEqual(await root.metadata('one/c'), undefined);
    assert.deepEqual(await root.list('one/'), ['b', 'c']);
    await root.deleteMetadata('one/c');
    assert.equal(await root.metadata('one/c'), undefined);
    assert.equal(await root.write('one/c', { n: 1 }, 0), 1);
    assert.deepEqual(await root.list('nothing/'), []);
  });

  it('lets the operator work on its own installation and list nothing', async () => {
    const operator = new KvClient({ url: bao.url, token: kv.operatorToken }, kv.mount);
    assert.equal(await operator.write('one/d', { n: 1 }, 0), 1);
    assert.equal((await operator.read('one/d'))?.version, 1);
    await operator.deleteMetadata('one/d');
    assert.equal(await operator.metadata('one/d'), undefined);
    await assert.rejects(operator.list('one/'), denied);
    await assert.rejects(operator.softDelete('one/b'), denied);
    await assert.rejects(operator.write('one2/a', { n: 1 }, 0), denied);
  });

  it('lets External Secrets read, and nothing else', async () => {
    const reader = new KvClient({ url: bao.url, token: kv.readerToken }, kv.mount);
    assert.equal((await reader.read('one/b'))?.version, 2);
    await assert.rejects(reader.write('one/b', { n: 3 }, 2), denied);
    await assert.rejects(reader.metadata('one/b'), denied);
    await assert.rejects(reader.read('two/b'), denied);
  });
});
