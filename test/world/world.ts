import type { HookAccess } from './hook-access.ts';
import type { HookProcess } from './hook-process.ts';
import type { KubernetesApi } from './kubernetes/api.ts';
import type { KubeClient } from './kubernetes/client.ts';
import type { MetacontrollerOptions } from './metacontroller/metacontroller.ts';
import type { RestartableMetacontroller } from './metacontroller/restartable.ts';
import type { PlatformOptions } from './platform-servers.ts';
import { closable, type AtEnd } from './servers/closable.ts';
import type { KvClient, KvSetUp } from './servers/kv.ts';
import type { ManagementRole } from './servers/management-role.ts';
import type { OpenBao } from './servers/openbao.ts';
import type { Postgres } from './servers/postgres.ts';
import { buildStandInWorld } from './stand-in-world.ts';

export interface WorldOptions extends PlatformOptions {
  /** Variables of the hook, over those that the world sets. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cleanupFinalizer?: boolean;
  /** How Metacontroller writes children; the stand-in Kubernetes API knows the default only. */
  readonly applyStrategy?: 'dynamic-apply' | 'server-side-apply';
  readonly onCall?: MetacontrollerOptions['onCall'];
  /** Each line that the hook writes, whole. */
  readonly onHookLine?: (line: string) => void;
  readonly onStep?: (what: string) => void;
  /** Given up at the next step when it aborts, also in the middle of starting. */
  readonly signal?: AbortSignal;
}

/** Tokens that a kubelet, or whoever plays it, keeps in a file. */
export interface IssuedTokens {
  /** Every token that was in the file so far. */
  readonly issued: readonly string[];
  /** Puts a new one there now. */
  renew(): Promise<void>;
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
  /** Who calls the hook. */
  readonly metacontroller: Pick<RestartableMetacontroller, 'faults' | 'restart'>;
  readonly hook: HookProcess;
  /** The service account's tokens that the operator logs in to OpenBao with. */
  readonly openBaoTokens: IssuedTokens;
  /** PEM of the CA that signed PostgreSQL's certificate. */
  readonly ca: string;
  /** The file with which kubectl is cluster admin; of a real API server only. */
  readonly kubeconfig?: string;
  /** How the hook is reached. */
  readonly hookAccess: Pick<HookAccess, 'certificate' | 'token' | 'post'>;
  /** One more replica of the hook, which ends with the world. */
  startReplica(): Promise<HookProcess>;
  /** Ends External Secrets as a lost node would, and starts it again; the real one only. */
  restartExternalSecrets?(): Promise<void>;
  /** The same of the API server. */
  restartApiServer?(): Promise<void>;
  /** Metacontroller calls the hook at this origin from now on. */
  callHookAt(url: string): Promise<void>;
  close(): Promise<void>;
}

/** Starts everything; `atEnd` is told at once of each part how it is ended. */
export type WorldBuilder = (options: WorldOptions, atEnd: AtEnd) => Promise<Omit<World, 'close'>>;

/**
 * Starts the world; what was started is ended again when something fails on the way.
 * @throws whatever `options.signal` was aborted with
 */
export async function startWorld(options: WorldOptions = {}): Promise<World> {
  const build = process.env['WORLD_PARTS'] === 'real' ? await realParts() : buildStandInWorld;
  return closable((atEnd) => build(options, atEnd));
}

/** Loaded only where they are used: they need programs that are built first. */
const realParts = async (): Promise<WorldBuilder> =>
  (await import('../control-plane/real-world.ts')).buildRealWorld;
