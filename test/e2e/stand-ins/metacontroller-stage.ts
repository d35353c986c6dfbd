import { type ControlPlane, startControlPlane } from '../../control-plane/control-plane.ts';
import { startMetacontrollerProcess } from '../../control-plane/metacontroller-process.ts';
import { installCrds, metacontrollerCrds } from '../../control-plane/platform.ts';
import type { ApiAccess, KubeClient, KubeObject } from '../../world/kubernetes/client.ts';
import { compositeControllers, namespaces } from '../../world/kubernetes/resources.ts';
import { startMetacontroller } from '../../world/metacontroller/metacontroller.ts';
import type { ApplyStrategy } from '../../world/metacontroller/server-side-apply.ts';
import { startTrialHook, type TrialHook } from '../../world/metacontroller/trial-hook.ts';
import { thingController, trialCrds } from '../../world/metacontroller/trial-kinds.ts';
import { closable } from '../../world/servers/closable.ts';
import type { Scene } from './act.ts';
import { adminAccount } from './admin-account.ts';

/** One Metacontroller, real or not, with the controller of Things at a real API server. */
export interface Stage {
  readonly plane: ControlPlane;
  readonly kube: KubeClient;
  readonly hook: TrialHook;
  /** Who answers the calls about a Thing, by its name. */
  readonly scenes: Map<string, Pick<Scene, 'serve'>>;
  /** What the audit log calls Metacontroller. */
  readonly user: string;
  /** Metacontroller has ended by itself, or, the stand-in, would have. */
  crashed(): boolean;
  close(): Promise<void>;
}

interface WatchedMetacontroller {
  crashed(): boolean;
  stop(): Promise<void>;
}

/** `binary` undefined: the stand-in. */
export const startStage = (binary: string | undefined, strategy: ApplyStrategy): Promise<Stage> =>
  closable(async (atEnd) => {
    const plane = await startControlPlane({ controllersLater: true });
    atEnd(() => plane.close());
    const hook = await startTrialHook();
    atEnd(() => hook.stop());
    const scenes: Stage['scenes'] = new Map();
    hook.answer = (request) => scenes.get(request.body.parent.metadata.name)?.serve(request) ?? {};
    await prepare(plane, hook);
    const { access, user } = await adminAccount(plane, 'metacontroller');
    const metacontroller =
      binary === undefined
        ? await standIn(access, strategy)
        : await realOne(binary, plane.folder, access, strategy);
    atEnd(() => metacontroller.stop());
    return { plane, kube: plane.kube, hook, scenes, user, crashed: () => metacontroller.crashed() };
  });

async function prepare(plane: ControlPlane, hook: TrialHook): Promise<void> {
  await installCrds(plane, [...(await metacontrollerCrds()), ...trialCrds]);
  await plane.startControllers();
  const { kube } = plane;
  await kube.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } });
  await kube.create(compositeControllers, controllerOf(hook));
}

/** Its patience is short, so that no act has to wait long. */
function controllerOf({ url }: TrialHook): KubeObject {
  const hook = (name: string) => ({ version: 'v2', webhook: { url: `${url}/${name}`, timeout: '2s' } });
  const hooks = { sync: hook('sync'), finalize: hook('finalize'), customize: hook('customize') };
  return thingController(url, { hooks });
}

async function standIn(access: ApiAccess, applyStrategy: ApplyStrategy): Promise<WatchedMetacontroller> {
  const running = await startMetacontroller({ api: access, applyStrategy, workers: 20 });
  // Its stop complains of what would have crashed it; here that was the purpose.
  return {
    crashed: () => running.panics.length > 0,
    stop: () => running.stop().catch(() => undefined),
  };
}

async function realOne(
  binary: string,
  folder: string,
  access: ApiAccess,
  applyStrategy: ApplyStrategy,
): Promise<WatchedMetacontroller> {
  const running = await startMetacontrollerProcess(binary, folder, access, applyStrategy);
  return { crashed: () => running.log().includes('panic: '), stop: () => running.stop() };
}
