import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { KubeClient, type KubeObject } from '../kubernetes/client.ts';
import { isConflict, isNotFound, updateLive } from './live-update.ts';
import { withTrial } from './trial.ts';
import { thing, things } from './trial-kinds.ts';

/** Somebody else writes each time right after this client has read. */
class DisturbedClient extends KubeClient {
  reads = 0;
  disturbances = Infinity;

  override async get(...args: Parameters<KubeClient['get']>): Promise<KubeObject | undefined> {
    const object = await super.get(...args);
    this.reads += 1;
    if (this.reads <= this.disturbances)
      await this.patch(things, 'a', 'team', { metadata: { annotations: { read: String(this.reads) } } });
    return object;
  }
}

const setStatus = (live: KubeObject): KubeObject => ({ ...live, status: { phase: 'Done' } });

describe('a live update', () => {
  it(
    'is tried again after a conflict, on what is there by then',
    withTrial(
      async ({ api, client }) => {
        const original = await client.create(things, thing('a'));
        const disturbed = new DisturbedClient(api);
        disturbed.disturbances = 3;
        await updateLive(disturbed, things, original, setStatus, 'status');
        const after = await client.get(things, 'a', 'team');
        assert.deepEqual(after?.status, { phase: 'Done' });
        assert.equal(after.metadata.annotations?.['read'], '3');
      },
      { idle: true },
    ),
  );

  it(
    'ends with the conflict after four tries',
    withTrial(
      async ({ api, client }) => {
        const original = await client.create(things, thing('a'));
        const disturbed = new DisturbedClient(api);
        await assert.rejects(updateLive(disturbed, things, original, setStatus, 'status'), isConflict);
        assert.equal(disturbed.reads, 4);
      },
      { idle: true },
    ),
  );

  it(
    'finds nothing where another object has taken the name',
    withTrial(
      async ({ client }) => {
        const original = await client.create(things, thing('a'));
        await client.delete(things, 'a', 'team');
        await client.create(things, thing('a'));
        await assert.rejects(updateLive(client, things, original, setStatus, 'status'), isNotFound);
      },
      { idle: true },
    ),
  );

  it(
    'writes nothing where nothing is to be changed',
    withTrial(
      async ({ api, client }) => {
        const original = await client.create(things, thing('a'));
        const writes = api.audit.length;
        await updateLive(client, things, original, () => undefined);
        assert.equal(api.audit.length, writes);
      },
      { idle: true },
    ),
  );
});
