import { applyAll } from '../world/manifests-in.ts';
import { tenants } from '../world/kubernetes/resources.ts';
import { waitFor } from '../world/servers/wait-for.ts';
import type { World } from '../world/world.ts';
import type { Narrator } from './narrator.ts';
import { readObjects } from './read-objects.ts';
import { remains } from './remains.ts';
import { settled, tellConditions, type Outcome } from './settled.ts';
import { firstMinute, readSecret } from './use-credential.ts';

export const quickstart = (file: 'platform.yaml' | 'team.yaml' | 'preview.yaml'): URL =>
  new URL(`../../examples/quickstart/${file}`, import.meta.url);

/** An application uses the quickstart's Tenant as the Secret says. */
export async function useQuickstart(world: World, narrator: Narrator): Promise<void> {
  narrator.heading('An application logs in with what the Secret orders-postgresql says (verify-full)');
  const secret = await readSecret(world.kube, 'shop', 'orders-postgresql');
  narrator.detail(`keys: ${Object.keys(secret).sort().join(' ')}`);
  narrator.detail((await firstMinute(secret)).join('\n'));
}

/** Deletes a Tenant that retains and one that does not, and shows what is left of each. */
export async function deleteQuickstart(world: World, narrator: Narrator): Promise<Outcome[]> {
  narrator.heading('A second Tenant, with deletionPolicy Delete');
  const preview = await readObjects([quickstart('preview.yaml')]);
  await applyAll(world.kube, preview);
  const outcomes: Outcome[] = [];
  for (const tenant of preview) outcomes.push(await settled(world, tenant, narrator));
  await deleteAndShow(world, narrator, 'orders', 'Retain');
  await deleteAndShow(world, narrator, 'preview', 'Delete');
  return outcomes;
}

async function deleteAndShow(world: World, narrator: Narrator, name: string, policy: string): Promise<void> {
  narrator.heading(`Deleting shop/${name} (${policy})`);
  await world.kube.delete(tenants, name, 'shop');
  const gone = async () => (await world.kube.get(tenants, name, 'shop')) === undefined;
  await waitFor(`Tenant ${name} to go`, gone, { timeoutMs: 30_000 }).catch(async (error: unknown) => {
    tellConditions((await world.kube.get(tenants, name, 'shop'))?.status, narrator);
    throw error;
  });
  // The Secret follows its ExternalSecret by garbage collection, a moment later.
  const left = () => remains(world, 'shop', name, `shop_${name}`);
  await waitFor('the Secret to go', async () => (await left()).at(-1)?.endsWith('nothing') === true);
  narrator.detail((await left()).join('\n'));
}
