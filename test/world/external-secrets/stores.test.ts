import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { after, before, describe, it } from 'node:test';

import { clusterSecretStores, events, namespaces, secrets } from '../kubernetes/resources.ts';
import { type KvSetUp, setUpKv } from '../servers/kv.ts';
import { type OpenBao, startOpenBao } from '../servers/openbao.ts';
import { waitFor } from '../servers/wait-for.ts';
import { readStoreStatus } from './secret-store.ts';
import { namespace, store, Trial } from './trial.ts';

describe('the store of an ExternalSecret', () => {
  let bao: OpenBao;
  let kv: KvSetUp;
  let trial: Trial;
  before(async () => {
    bao = await startOpenBao({ mode: 'server' });
    kv = await setUpKv(bao, { installation: 'one' });
    trial = await Trial.start(bao, kv);
    await trial.kv.write('one/a', { n: '1' }, 0);
  });
  after(async () => {
    await trial.stop();
    await bao.close();
  });

  const through = (name: string): object => ({
    secretStoreRef: { kind: 'ClusterSecretStore', name },
    dataFrom: [{ extract: { key: 'one/a' } }],
  });
  const storeState = async (name: string): Promise<string | undefined> => {
    const object = await trial.client.get(clusterSecretStores, name);
    return object && readStoreStatus(object).conditions.find(({ type }) => type === 'Ready')?.status;
  };

  it('has to be there, and is found when it comes later', async () => {
    await trial.create('late', through('late'));
    await trial.settled('late', 'SecretSyncedError');
    await trial.client.create(clusterSecretStores, store(bao, kv.mount, {}, 'late'));
    await trial.settled('late', 'SecretSynced');
    assert.equal(await storeState('late'), 'True');
  });

  it('has to be Ready, which it is not with a token that OpenBao refuses', async () => {
    const tokenSecretRef = { name: 'wrong', key: 'token', namespace: 'default' };
    await trial.client.create(secrets, {
      ...{ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'wrong', namespace: 'default' } },
      data: { token: 'eA==' },
    });
    const vault = { server: bao.url, path: kv.mount, version: 'v2', auth: { tokenSecretRef } };
    await trial.client.create(clusterSecretStores, store(bao, kv.mount, { provider: { vault } }, 'wrong'));
    await waitFor('the store to be refused', async () => (await storeState('wrong')) === 'False');
    const { fetches } = trial.controller;
    await trial.create('wrong', through('wrong'));
    await trial.settled('wrong', 'SecretSyncedError');
    assert.equal(trial.controller.fetches, fetches);
  });

  it('may be closed to a namespace, by name, by pattern and by label', async () => {
    const conditions: [string, object, boolean][] = [
      ['by-name', { namespaces: [namespace] }, true],
      ['by-other-name', { namespaces: ['other'] }, false],
      ['by-pattern', { namespaceRegexes: ['^te'] }, true],
      ['by-other-pattern', { namespaceRegexes: ['^t$'] }, false],
      ['by-label', { namespaceSelector: { matchLabels: { tenants: 'yes' } } }, true],
      ['by-other-label', { namespaceSelector: { matchLabels: { tenants: 'no' } } }, false],
    ];
    await trial.client.patch(namespaces, namespace, undefined, { metadata: { labels: { tenants: 'yes' } } });
    for (const [name, condition] of conditions) {
      await trial.client.create(clusterSecretStores, store(bao, kv.mount, { conditions: [condition] }, name));
      await trial.create(name, through(name));
    }
    for (const [name, , allowed] of conditions) {
      await waitFor(`the store ${name}`, async () => (await storeState(name)) === 'True');
      await trial.settled(name, allowed ? 'SecretSynced' : 'SecretSyncedError');
    }
    await sleep(300);
    for (const [name, , allowed] of conditions) {
      assert.equal((await trial.ready(name))?.status, allowed ? 'True' : 'False', name);
    }
  });

  it('of another controller class is left alone without a word', async () => {
    await trial.client.create(clusterSecretStores, store(bao, kv.mount, { controller: 'other' }, 'foreign'));
    await trial.create('foreign', through('foreign'));
    await sleep(300);
    assert.equal(await trial.ready('foreign'), undefined);
    assert.equal(await storeState('foreign'), undefined);
  });

  it('without a namespace for its token takes that of the ExternalSecret', async () => {
    const tokenSecretRef = { name: 'own', key: 'token' };
    const vault = { server: bao.url, path: kv.mount, version: 'v2', auth: { tokenSecretRef } };
    await trial.client.create(clusterSecretStores, store(bao, kv.mount, { provider: { vault } }, 'referent'));
    await waitFor('the store', async () => (await storeState('referent')) === 'True');
    await trial.create('referent', through('referent'));
    await trial.settled('referent', 'SecretSyncedError');
    const token = Buffer.from(kv.readerToken).toString('base64');
    await trial.client.create(secrets, {
      ...{ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'own', namespace }, data: { token } },
    });
    await trial.settled('referent', 'SecretSynced');
  });

  it('is not Ready while OpenBao is sealed or gone, and mends itself', async () => {
    const interrupt = async (down: () => Promise<void>, up: () => Promise<void>): Promise<void> => {
      await down();
      await waitFor('the store to fail', async () => (await storeState('tenants')) === 'False');
      await trial.change('late', { metadata: { annotations: { again: String(Math.random()) } } });
      await trial.settled('late', 'SecretSyncedError');
      assert.deepEqual(await trial.data('late'), { n: '1' });
      await up();
      await trial.settled('late', 'SecretSynced');
    };
    await interrupt(
      () => bao.seal(),
      () => bao.unseal(),
    );
    await interrupt(
      () => bao.stop(),
      () => bao.start(),
    );
  });

  it('tells nobody its token', async () => {
    const { items } = await trial.client.list(events, namespace);
    assert.ok(items.length > 0);
    const text = JSON.stringify([items, await trial.client.list(clusterSecretStores)]);
    assert.equal(text.includes(kv.readerToken), false);
  });
});
