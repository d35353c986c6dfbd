import { type ControlPlane, startControlPlane } from '../control-plane/control-plane.ts';
import { installCrds } from '../control-plane/platform.ts';
import { type LendKinds, ourCrds } from '../api/installed-crds.ts';
import { instances, tenants } from '../world/kubernetes/resources.ts';

/** A real control plane with our two kinds, and nobody who looks after their objects. */
export async function startRealKinds(): Promise<ControlPlane> {
  const plane = await startControlPlane();
  try {
    await installCrds(plane, await ourCrds());
    return plane;
  } catch (error) {
    await plane.close();
    throw error;
  }
}

/** Lends one and the same control plane again and again, each time without objects of our kinds. */
export const lendReal =
  (plane: () => ControlPlane): LendKinds =>
  async (use) => {
    const { kube } = plane();
    try {
      await use(kube);
    } finally {
      for (const resource of [tenants, instances])
        for (const { metadata } of (await kube.list(resource)).items)
          await kube.delete(resource, metadata.name, metadata.namespace);
    }
  };
