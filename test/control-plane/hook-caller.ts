import type { ApiAccess } from '../world/kubernetes/client.ts';
import { compositeControllers } from '../world/kubernetes/resources.ts';
import { FaultInjector } from '../world/metacontroller/faults.ts';
import type { HookCall } from '../world/metacontroller/hooks.ts';
import { type RestartableMetacontroller, startRestartable } from '../world/metacontroller/restartable.ts';
import type { ApplyStrategy } from '../world/metacontroller/server-side-apply.ts';
import type { AtEnd } from '../world/servers/closable.ts';
import type { Certificate } from '../world/servers/pki.ts';
import { startApiEdge } from './api-edge.ts';
import type { ControlPlane } from './control-plane.ts';
import { HookEdge } from './hook-edge.ts';
import { startMetacontrollerProcess } from './metacontroller-process.ts';
import { accessOf } from './service-account.ts';

/** Metacontroller, or what stands in for it: whoever calls the hook. */
export interface HookCaller extends Pick<RestartableMetacontroller, 'faults' | 'restart'> {
  /** It calls the hook at this origin from now on. */
  callHookAt(url: string): Promise<void>;
}

export interface CallerOptions {
  readonly plane: ControlPlane;
  readonly folder: string;
  /** The API as Metacontroller gets to it. */
  readonly api: ApiAccess;
  /** The port in the CompositeControllers. */
  readonly port: number;
  readonly hookUrl: string;
  readonly certificate: Certificate;
  readonly strategy: ApplyStrategy;
  readonly onCall: (call: HookCall) => void;
  readonly atEnd: AtEnd;
}

const account = { namespace: 'metacontroller', name: 'metacontroller' };

/** The real Metacontroller. Its calls go through a HookEdge, its requests to the API through an ApiEdge of its own. */
export async function startRealCaller(binary: string, options: CallerOptions): Promise<HookCaller> {
  const { plane, folder, port, certificate, strategy, onCall, atEnd } = options;
  let target = options.hookUrl;
  const faults = new FaultInjector();
  const hookEdge = await HookEdge.start({ port, certificate, target: () => target, faults, onCall });
  atEnd(() => hookEdge.close());
  const apiEdge = await startApiEdge(plane.api, (method, path) => isLost(faults, method, path));
  atEnd(() => apiEdge.close());
  const access = await accessOf(plane.kube, { url: apiEdge.url, ca: plane.api.ca }, account);
  const process = await startMetacontrollerProcess(binary, folder, access, strategy);
  atEnd(() => process.stop());
  return {
    faults: faults.faults,
    callHookAt: (url) => Promise.resolve(void (target = url)),
    restart: () => process.restart(),
  };
}

/** The stand-in, with the same rights; it records its calls itself. */
export async function startStandInCaller(options: CallerOptions): Promise<HookCaller> {
  const { plane, api, onCall, strategy, atEnd } = options;
  const access = await accessOf(plane.kube, api, account);
  const running = await startRestartable({
    ...{ api: access, maxBackoffMs: 2_000, applyStrategy: strategy, onCall },
  });
  atEnd(() => running.stop());
  return {
    get faults() {
      return running.faults;
    },
    restart: () => running.restart(),
    callHookAt: (url) => pointControllersAt(plane, url),
  };
}

function isLost(injector: FaultInjector, method: string, path: string): boolean {
  if (method === 'GET') return false;
  try {
    if (path.includes('/status')) injector.beforeStatusWrite();
    else if (path.includes('/externalsecrets')) injector.beforeChildWrite();
    return false;
  } catch {
    return true;
  }
}

async function pointControllersAt({ kube }: ControlPlane, origin: string): Promise<void> {
  const { items } = await kube.list(compositeControllers);
  for (const { metadata, spec } of items) {
    const hooks = Object.entries(spec?.['hooks'] as Record<string, { webhook: { url: string } }>);
    const moved = hooks.map(([name, { webhook }]) => {
      const url = new URL(new URL(webhook.url).pathname, origin).href;
      return [name, { webhook: { url } }] as const;
    });
    await kube.patch(compositeControllers, metadata.name, undefined, {
      spec: { hooks: Object.fromEntries(moved) },
    });
  }
}
