import type { HookAccess } from './hook-access.ts';
import type { HookProcess } from './hook-process.ts';
import type { KubernetesApi } from './kubernetes/api.ts';
import type { KubeClient } from './kubernetes/client.ts';
import type { Metacontroller, MetacontrollerOptions } from './metacontroller/metacontroller.ts';
import type { PlatformOptions } from './platform-servers.ts';
import type { ProjectedToken } from './projected-token.ts';
import type { KvClient, KvSetUp } from './servers/kv.ts';
import type { ManagementRole } from './servers/management-role.ts';
import type { OpenBao } from './servers/openbao.ts';
import type { Postgres } from './servers/postgres.ts';
import { buildStandInWorld } from './stand-in-world.ts';

export interface WorldOptions extends PlatformOptions {
  /** Variables of the hook, over those that the world sets. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cleanupFinalizer?: boolean;
  readonly onCall?: MetacontrollerOptions['onCall'];
  /** Each line that the hook writes, whole. */
  readonly onHookLine?: (line: string) => void;
  readonly onStep?: (what: string) => void;
  /** Given up at the next step when it aborts, also in the middle of starting. */
  readonly signal?: AbortSignal;
}

/**
 * Everything around the operator, and the operator as its own process, on loopback: real PostgreSQL whose certificate a
 * real OpenBao issued; the Kubernetes API, Metacontroller and External Secrets are stand-ins or, where the environment
 * says `WORLD_PARTS=real`, the real ones.
 */
export interface World {
  readonly api: Pick<KubernetesApi, 'url' | 'faults' | 'audit'>;
  readonly kube: KubeClient;
  readonly openBao: OpenBao;
  /** Tenants' records, as root. */
  readonly kv: KvClient;
  readonly kvSetUp: KvSetUp;
  readonly postgres: Postgres;
  /** The operator's login, which the platform's OpenBao record holds too. */
  readonly management: ManagementRole;
  readonly metacontroller: Pick<Metacontroller, 'faults'>;
  readonly hook: HookProcess;
  /** The service account token that the operator logs in to OpenBao with. */
  readonly projectedToken: ProjectedToken;
  /** PEM of the CA that signed PostgreSQL's certificate. */
  readonly ca: string;
  /** How the hook is reached. */
  readonly hookAccess: HookAccess;
  /** For one more replica of the hook. */
  readonly hookEnv: Readonly<Record<string, string>>;
  /** Metacontroller calls the hook at this origin from now on. */
  callHookAt(url: string): Promise<void>;
  close(): Promise<void>;
}

type Undo = () => Promise<unknown>;
/** Starts everything; `atEnd` is told at once of each part how it is ended. */
export type WorldBuilder = (
  options: WorldOptions,
  atEnd: (end: Undo) => void,
) => Promise<Omit<World, 'close'>>;

/**
 * Starts the world; what was started is ended again when something fails on the way.
 * @throws whatever `options.signal` was aborted with
 */
export async function startWorld(options: WorldOptions = {}): Promise<World> {
  const undo: Undo[] = [];
  const close = async (): Promise<void> => {
    const failures: unknown[] = [];
    for (const end of undo.splice(0).reverse()) await end().catch((error: unknown) => failures.push(error));
    if (failures.length > 0) throw new AggregateError(failures, 'not everything could be ended in order');
  };
  try {
    const build = process.env['WORLD_PARTS'] === 'real' ? await realParts() : buildStandInWorld;
    return { ...(await build(options, (end) => undo.push(end))), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Loaded only where they are used: they need programs that are built first. */
const realParts = async (): Promise<WorldBuilder> =>
  (await import('../control-plane/real-world.ts')).buildRealWorld;
