import { readStoreStatus } from '../../world/external-secrets/secret-store.ts';
import type { KubeObject } from '../../world/kubernetes/client.ts';
import { clusterSecretStores } from '../../world/kubernetes/resources.ts';
import { actsOfProjection } from './acts-of-projection.ts';
import { type Stage, startStage, type Which } from './external-secrets-stage.ts';
import { type Act, Projection } from './projection.ts';
import { asJson, type Recording } from './recording.ts';
import { Symbols } from './symbols.ts';

export const actNames: readonly string[] = ['stores', ...actsOfProjection.map(({ name }) => name)];

/** Plays every act before External Secrets and writes down what came of it. */
export async function recordExternalSecrets(which: Which): Promise<Recording> {
  const stage = await startStage(which);
  try {
    const stores = asJson(await storesOf(stage));
    const recorded = new Map<string, unknown>([['stores', stores]]);
    await Promise.all(
      actsOfProjection.map(async (act) => recorded.set(act.name, asJson(await play(stage, act)))),
    );
    return Object.fromEntries(actNames.map((name) => [name, recorded.get(name)]));
  } finally {
    await stage.close();
  }
}

/** What the operator reads of them. */
async function storesOf({ kube }: Stage): Promise<unknown> {
  const { items } = await kube.list(clusterSecretStores);
  return items.map(({ metadata, status }) => {
    const { conditions } = readStoreStatus({ status } as KubeObject);
    return { name: metadata.name, conditions: conditions.map((one) => ({ ...one, lastTransitionTime: '' })) };
  });
}

async function play(stage: Stage, act: Act): Promise<unknown> {
  const scene = new Projection(stage, act.name);
  await act.run(scene);
  const symbols = new Symbols();
  symbols.apply({ object: await scene.object(), secret: await scene.secret() });
  return {
    seen: symbols.apply(scene.seen),
    writes: scene.writes(),
  };
}
