import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { conditionOf } from '../scenarios/conditions.ts';
import { raise, type Stage } from '../scenarios/stage.ts';
import { resyncs } from '../scenarios/stillness.ts';
import { apply, remove, tenant, untilCondition, untilReady } from '../scenarios/tenants.ts';
import type { KubeObject } from '../world/kubernetes/client.ts';
import { externalSecrets, secrets } from '../world/kubernetes/resources.ts';
import { waitFor } from '../world/servers/wait-for.ts';

/*
 * Somebody else's ExternalSecret has the name that a Tenant's would have. With dynamic apply Metacontroller could not
 * create its own and would say nothing; with server-side apply it would take the other one over.
 */

const name = 'guest-postgresql';
const foreign: KubeObject = {
  apiVersion: 'external-secrets.io/v1',
  kind: 'ExternalSecret',
  metadata: { name, namespace: 'shop', labels: { team: 'guests' } },
  spec: {
    refreshInterval: '15m',
    secretStoreRef: { kind: 'ClusterSecretStore', name: 'platform' },
    target: { name },
    data: [{ secretKey: 'username', remoteRef: { key: 'management/pg-main', property: 'username' } }],
  },
};

for (const applyStrategy of ['dynamic-apply', 'server-side-apply'] as const) {
  describe(`With ${applyStrategy}, an ExternalSecret of the name that a Tenant wants`, () => {
    let stage: Stage;
    before(async () => {
      stage = await raise({ applyStrategy });
    });
    after(() => stage.close());

    const both = async () => ({
      externalSecret: await stage.kube.get(externalSecrets, name, 'shop'),
      secret: await stage.kube.get(secrets, name, 'shop'),
    });

    it('is a Conflict, and nothing of it changes, managers and version included', async () => {
      await stage.kube.create(externalSecrets, foreign);
      await waitFor('the Secret of the guest', async () => {
        const { externalSecret, secret } = await both();
        return secret !== undefined && conditionOf(externalSecret, 'Ready')?.status === 'True';
      });
      const found = await both();
      await apply(stage, tenant('guest', { deletionPolicy: 'Delete' }));
      const held = await untilCondition(stage, 'guest', 'Ready', { status: 'False', reason: 'Conflict' });
      assert.match(conditionOf(held, 'Ready')?.message ?? '', /"guest-postgresql" exists already/);
      await resyncs(stage, ['guest'], 3);
      assert.deepEqual(await both(), found);
    });

    it('is out of the way when its owner deletes it', async () => {
      await stage.kube.delete(externalSecrets, name, 'shop');
      const { metadata } = await untilReady(stage, 'guest');
      const { externalSecret } = await both();
      assert.equal(externalSecret?.metadata.ownerReferences?.[0]?.uid, metadata.uid);
    });

    it('is left alone too by the deletion of a Tenant that never got its own', async () => {
      await remove(stage, 'guest');
      await waitFor('the Secret to go', async () => (await both()).secret === undefined);
      await stage.kube.create(externalSecrets, foreign);
      await waitFor('the Secret of the guest', async () => (await both()).secret !== undefined);
      await apply(stage, tenant('guest', { deletionPolicy: 'Delete' }));
      await untilCondition(stage, 'guest', 'Ready', { status: 'False', reason: 'Conflict' });
      const found = await both();
      await remove(stage, 'guest');
      assert.deepEqual(await both(), found);
    });
  });
}
