import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { after, before, describe, it } from 'node:test';

import type { KubeObject } from '../kubernetes/client.ts';
import { externalSecrets, secrets } from '../kubernetes/resources.ts';
import { type KvSetUp, setUpKv } from '../servers/kv.ts';
import { type OpenBao, startOpenBao } from '../servers/openbao.ts';
import { waitFor } from '../servers/wait-for.ts';
import { cleanupFinalizer } from './cleanup.ts';
import { namespace, Trial } from './trial.ts';

const secret = (name: string, more: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, namespace, ...more },
  data: { foreign: 'eA==' },
});

describe('the Secret of an ExternalSecret', () => {
  let bao: OpenBao;
  let kv: KvSetUp;
  let trial: Trial;
  before(async () => {
    bao = await startOpenBao({ mode: 'dev' });
    kv = await setUpKv(bao, { installation: 'one' });
    trial = await Trial.start(bao, kv);
    await trial.kv.write('one/a', { n: '1' }, 0);
  });
  after(async () => {
    await trial.stop();
    await bao.close();
  });

  const from = (key: string, target: object): object => ({ dataFrom: [{ extract: { key } }], target });
  const isGone = (name: string): Promise<boolean> => trial.secret(name).then((found) => found === undefined);

  it('takes over one of its name that nobody controls, and wipes it', async () => {
    await trial.client.create(secrets, secret('taken'));
    await trial.create('taken', from('one/a', { name: 'taken' }));
    const { metadata } = await trial.settled('taken', 'SecretSynced');
    assert.deepEqual(await trial.data('taken'), { n: '1' });
    assert.equal((await trial.secret('taken'))?.metadata.ownerReferences?.[0]?.uid, metadata.uid);
  });

  it('is not taken from another controller, nor tried again', async () => {
    // An owner that exists, or the garbage collector would take the Secret away.
    const uid = (await trial.client.get(secrets, 'taken', namespace))?.metadata.uid;
    const owner = { apiVersion: 'v1', kind: 'Secret', name: 'taken', uid: uid!, controller: true };
    await trial.client.create(secrets, secret('theirs', { ownerReferences: [owner] }));
    await trial.create('theirs', from('one/a', { name: 'theirs' }));
    await trial.settled('theirs', 'SecretSyncedError');
    assert.equal((await trial.ready('theirs'))?.message, 'failed to take ownership of target secret');
    await sleep(300);
    const { fetches } = trial.controller;
    await sleep(400);
    assert.equal(trial.controller.fetches, fetches);
    assert.deepEqual(await trial.data('theirs'), { foreign: 'x' });
  });

  it('is not taken from another ExternalSecret', async () => {
    await trial.create('second', from('one/a', { name: 'taken' }));
    await trial.settled('second', 'SecretSyncedError');
    assert.equal((await trial.ready('second'))?.message, 'target is owned by another ExternalSecret');
    assert.equal((await trial.ready('taken'))?.status, 'True');
  });

  it('is deleted under its old name when the target is renamed', async () => {
    await trial.create('renamed', from('one/a', { name: 'before' }));
    await trial.settled('renamed', 'SecretSynced');
    await trial.change('renamed', { spec: { target: { name: 'after' } } });
    await trial.settled('renamed', 'SecretSynced');
    assert.equal(await isGone('before'), true);
    assert.deepEqual(await trial.data('after'), { n: '1' });
  });

  it('is not created with creationPolicy Merge, which adds to one that is there', async () => {
    await trial.create('merged', from('one/a', { name: 'merged', creationPolicy: 'Merge' }));
    await trial.settled('merged', 'SecretMissing');
    assert.equal((await trial.ready('merged'))?.status, 'True');
    await trial.client.create(secrets, secret('merged'));
    await trial.change('merged', { metadata: { annotations: { again: '1' } } });
    await trial.settled('merged', 'SecretSynced');
    assert.deepEqual(await trial.data('merged'), { foreign: 'x', n: '1' });
  });

  it('is retained for an empty record, with a success that says so', async () => {
    await trial.kv.write('one/empty', { n: '1' }, 0);
    await trial.create('empty', from('one/empty', { name: 'empty', deletionPolicy: 'Retain' }));
    await trial.settled('empty', 'SecretSynced');
    await trial.kv.write('one/empty', {}, 1);
    await trial.change('empty', { metadata: { annotations: { again: '1' } } });
    await waitFor(
      'the message',
      async () => (await trial.ready('empty'))?.message?.includes('retained') === true,
    );
    const ready = await trial.ready('empty');
    assert.deepEqual([ready?.status, ready?.reason], ['True', 'SecretSynced']);
    assert.equal(ready?.message, 'secret retained due to DeletionPolicy=Retain');
    assert.deepEqual(await trial.data('empty'), { n: '1' });
  });

  it('is deleted in the middle of its life with deletionPolicy Delete, and emptied with Merge', async () => {
    for (const [name, deletionPolicy] of [
      ['deleted', 'Delete'],
      ['emptied', 'Merge'],
    ] as const) {
      await trial.kv.write(`one/${name}`, { n: '1' }, 0);
      await trial.create(name, from(`one/${name}`, { name, deletionPolicy }));
      await trial.settled(name, 'SecretSynced');
      await trial.kv.softDelete(`one/${name}`);
      await trial.change(name, { metadata: { annotations: { again: '1' } } });
    }
    await trial.settled('deleted', 'SecretDeleted');
    assert.equal((await trial.ready('deleted'))?.status, 'True');
    assert.equal(await isGone('deleted'), true);
    await waitFor(
      'an empty Secret',
      async () => Object.keys((await trial.data('emptied')) ?? { a: 1 }).length === 0,
    );
    assert.equal((await trial.ready('emptied'))?.reason, 'SecretSynced');
  });

  it('is gone before its ExternalSecret with deletionPolicy Delete, and both wait while the controller is down', async () => {
    await trial.create('parting', from('one/a', { name: 'parting', deletionPolicy: 'Delete' }));
    await trial.settled('parting', 'SecretSynced');
    trial.controller.paused = true;
    await trial.client.delete(externalSecrets, 'parting', namespace);
    await sleep(200);
    const waiting = await trial.externalSecret('parting');
    assert.deepEqual(waiting?.metadata.finalizers, [cleanupFinalizer]);
    assert.equal(await isGone('parting'), false);
    trial.controller.paused = false;
    await waitFor(
      'the ExternalSecret to go',
      async () => (await trial.externalSecret('parting')) === undefined,
    );
    assert.equal(await isGone('parting'), true);
  });

  it('is left to the garbage collector with deletionPolicy Retain', async () => {
    await trial.create('left', from('one/a', { name: 'left' }));
    await trial.settled('left', 'SecretSynced');
    await trial.client.delete(externalSecrets, 'left', namespace, { propagation: 'Orphan' });
    await waitFor('the ExternalSecret to go', async () => (await trial.externalSecret('left')) === undefined);
    assert.equal(await isGone('left'), false);
    await trial.create('collected', from('one/a', { name: 'collected' }));
    await trial.settled('collected', 'SecretSynced');
    await trial.client.delete(externalSecrets, 'collected', namespace);
    await waitFor('the Secret to be collected', () => isGone('collected'));
  });

  it('needs no finalizer where that is switched off', async () => {
    const other = await Trial.start(bao, kv, { cleanupFinalizer: false });
    try {
      await other.create('free', from('one/a', { name: 'free' }));
      const { metadata } = await other.settled('free', 'SecretSynced');
      assert.deepEqual(metadata.finalizers ?? [], []);
      await other.client.delete(externalSecrets, 'free', namespace);
      await waitFor('the Secret to be collected', async () => (await other.secret('free')) === undefined);
    } finally {
      await other.stop();
    }
  });
});
