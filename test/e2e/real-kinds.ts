import { type ControlPlane, startControlPlane } from '../control-plane/control-plane.ts';
import { installCrds } from '../control-plane/platform.ts';
import { type LendKinds, ourCrds } from '../api/installed-crds.ts';
import { closable } from '../world/servers/closable.ts';
import { instances, tenants } from '../world/kubernetes/resources.ts';

/** A real control plane with our two kinds, and nobody who looks after their objects. */
export const startRealKinds = (): Promise<ControlPlane> =>
  closable(async (atEnd) => {
    const plane = await startControlPlane();
    atEnd(() => plane.close());
    await installCrds(plane, await ourCrds());
    return plane;
  });

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
