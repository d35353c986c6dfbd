import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { after, before, describe, it } from 'node:test';

import { events, externalSecrets, secrets } from '../kubernetes/resources.ts';
import { type KvSetUp, setUpKv } from '../servers/kv.ts';
import { type OpenBao, startOpenBao } from '../servers/openbao.ts';
import { waitFor } from '../servers/wait-for.ts';
import { readExternalSecret } from './external-secret.ts';
import { resourceVersionOf } from './hashes.ts';
import { namespace, Trial } from './trial.ts';

describe('External Secrets on a real OpenBao', () => {
  let bao: OpenBao;
  let kv: KvSetUp;
  let trial: Trial;
  before(async () => {
    bao = await startOpenBao({ mode: 'dev' });
    kv = await setUpKv(bao, { installation: 'one' });
    trial = await Trial.start(bao, kv);
  });
  after(async () => {
    await trial.stop();
    await bao.close();
  });

  /** Waits a moment in which a controller that is going to do something would have done it. */
  const quietly = () => sleep(300);

  const pinned = (key: string, version: string, more: object = {}): object => ({
    dataFrom: [{ extract: { key: `one/${key}`, version } }],
    ...more,
  });

  it('projects the pinned version, by one read, and says so in the status', async () => {
    await trial.kv.write('one/pinned', { password: 'first', port: 5432, tags: ['a'] }, 0);
    await trial.kv.write('one/pinned', { password: 'second' }, 1);
    const before = trial.controller.fetches;
    const target = {
      name: 'pinned',
      template: {
        ...{ mergePolicy: 'Merge', type: 'servicebinding.io/postgresql' },
        metadata: { labels: { app: 'x' }, annotations: { version: '1' } },
        data: { uri: 'postgresql://{{ .password }}@db' },
      },
    };
    await trial.create('pinned', pinned('pinned', '1', { target }), { annotations: { note: 'not copied' } });
    const object = await trial.settled('pinned', 'SecretSynced');

    const { refreshTime, syncedResourceVersion, binding, conditions } = readExternalSecret(object).status;
    assert.equal(syncedResourceVersion, resourceVersionOf(object.metadata));
    assert.match(refreshTime ?? '', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    assert.deepEqual(binding, { name: 'pinned' });
    assert.deepEqual(
      conditions.map(({ type, status, message }) => [type, status, message]),
      [['Ready', 'True', 'secret synced']],
    );
    assert.deepEqual(await trial.data('pinned'), {
      ...{ password: 'first', port: '5432', tags: '["a"]', uri: 'postgresql://first@db' },
    });
    const secret = await trial.secret('pinned');
    assert.equal(secret?.['type'], 'servicebinding.io/postgresql');
    assert.equal(secret.metadata.annotations?.['note'], undefined);
    assert.equal(secret.metadata.annotations?.['version'], '1');
    const [owner] = secret.metadata.ownerReferences ?? [];
    assert.deepEqual(
      [owner?.uid, owner?.controller, owner?.kind],
      [object.metadata.uid, true, 'ExternalSecret'],
    );
    await quietly();
    assert.equal(trial.controller.fetches, before + 1);
  });

  it('follows a new pin and leaves the time of the last transition alone', async () => {
    const earlier = await trial.ready('pinned');
    await sleep(1_000);
    await trial.change('pinned', { spec: pinned('pinned', '2') });
    await trial.settled('pinned', 'SecretSynced');
    assert.equal((await trial.data('pinned'))?.['password'], 'second');
    assert.equal((await trial.data('pinned'))?.['port'], undefined);
    assert.deepEqual(await trial.ready('pinned'), earlier);
  });

  it('fetches again for a changed label or annotation, and not for a changed status', async () => {
    const before = trial.controller.fetches;
    await trial.change('pinned', { metadata: { annotations: { 'force-sync': 'now' } } });
    await waitFor('a fetch', () => trial.controller.fetches === before + 1);
    await trial.change('pinned', { metadata: { labels: { a: 'b' } } });
    await waitFor('a fetch', () => trial.controller.fetches === before + 2);
    await quietly();
    assert.equal(trial.controller.fetches, before + 2);
  });

  it('repairs a Secret that was edited, unlabelled or deleted', async () => {
    const password = async (): Promise<boolean> => (await trial.data('pinned'))?.['password'] === 'second';
    await trial.client.patch(secrets, 'pinned', namespace, { data: { password: 'aGE=' } });
    await waitFor('the edit to be undone', password);
    const uid = (await trial.secret('pinned'))?.metadata.uid;
    await trial.client.delete(secrets, 'pinned', namespace);
    await waitFor('a new Secret', async () => ((await trial.secret('pinned'))?.metadata.uid ?? uid) !== uid);
    assert.equal(await password(), true);
    const managed = 'reconcile.external-secrets.io/managed';
    const label = async (): Promise<unknown> => (await trial.secret('pinned'))?.metadata.labels?.[managed];
    await trial.client.patch(secrets, 'pinned', namespace, { metadata: { labels: { [managed]: null } } });
    await waitFor('the label', async () => (await label()) === 'true');
  });

  it('fetches again when the interval is over', async () => {
    await trial.kv.write('one/often', { n: 'old' }, 0);
    await trial.create('often', { refreshInterval: '1s' });
    await trial.settled('often', 'SecretSynced');
    await trial.kv.write('one/often', { n: 'new' }, 1);
    await waitFor('the new value', async () => (await trial.data('often'))?.['n'] === 'new');
    await trial.client.delete(externalSecrets, 'often', namespace);
  });

  it('reads single values, each by its own read', async () => {
    await trial.kv.write('one/single', { a: 'x', b: { c: 1 } }, 0);
    const before = trial.controller.fetches;
    await trial.create('single', {
      dataFrom: [],
      data: [
        { secretKey: 'one', remoteRef: { key: 'one/single', property: 'a', version: '1' } },
        { secretKey: 'all', remoteRef: { key: 'one/single' } },
      ],
    });
    await trial.settled('single', 'SecretSynced');
    assert.deepEqual(await trial.data('single'), { one: 'x', all: '{"a":"x","b":{"c":1}}' });
    assert.equal(trial.controller.fetches, before + 2);

    await trial.change('single', {
      spec: { data: [{ secretKey: 'one', remoteRef: { key: 'one/single', property: 'nothing' } }] },
    });
    await trial.settled('single', 'SecretSyncedError');
    assert.equal((await trial.data('single'))?.['one'], 'x');
  });

  it('keeps Secret and last success when the record is missing, and recovers by itself', async () => {
    const { status: earlier } = readExternalSecret((await trial.externalSecret('pinned'))!);
    await trial.change('pinned', { spec: pinned('pinned', '3') });
    const failed = readExternalSecret(await trial.settled('pinned', 'SecretSyncedError'));
    const ready = failed.status.conditions[0];
    assert.deepEqual([ready?.status, ready?.message], ['False', 'could not get secret data from provider']);
    assert.equal(failed.status.syncedResourceVersion, earlier.syncedResourceVersion);
    assert.equal(failed.status.refreshTime, earlier.refreshTime);
    assert.equal((await trial.data('pinned'))?.['password'], 'second');
    await trial.kv.write('one/pinned', { password: 'third' }, 2);
    await trial.settled('pinned', 'SecretSynced');
    assert.equal((await trial.data('pinned'))?.['password'], 'third');
  });

  it('tells what the provider answered in an Event alone', async () => {
    const { items } = await trial.client.list(events, namespace);
    const about = items.filter(({ reason }) => reason === 'UpdateFailed').map(({ message }) => message);
    assert.ok(
      about.includes('could not get secret data from provider: Secret does not exist'),
      String(about),
    );
  });

  it('survives an API server that is away for a while', async () => {
    await trial.kv.write('one/away', { n: '1' }, 0);
    await trial.create('away', pinned('away', '1'));
    await trial.settled('away', 'SecretSynced');
    trial.api.faults.down = true;
    await quietly();
    trial.api.faults.down = false;
    await trial.change('away', { spec: pinned('away', '2') });
    await trial.settled('away', 'SecretSyncedError');
    await trial.kv.write('one/away', { n: '2' }, 1);
    await trial.settled('away', 'SecretSynced');
    assert.equal((await trial.data('away'))?.['n'], '2');
  });

  it('does nothing while paused and catches up afterwards', async () => {
    trial.controller.paused = true;
    await trial.kv.write('one/paused', { n: '1' }, 0);
    await trial.create('paused', pinned('paused', '1'));
    await quietly();
    assert.equal(await trial.ready('paused'), undefined);
    trial.controller.paused = false;
    await trial.settled('paused', 'SecretSynced');
  });
});
