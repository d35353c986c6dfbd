import { HookProcess } from '../../world/hook-process.ts';
import { freePort } from '../../world/servers/free-port.ts';
import { type Launch, launchOf, type PodOptions } from './launch.ts';
import type { Container } from './pod-template.ts';
import type { PodVolumes } from './pod-volumes.ts';

/** Which variable says the port of this name. */
const portVariables: Readonly<Record<string, string>> = { hook: 'PORT', metrics: 'METRICS_PORT' };

export interface RunningPod {
  readonly name: string;
  /** The container's process: its end and its start do not touch the volumes, as in a Pod. */
  readonly hook: HookProcess;
  readonly volumes: PodVolumes;
  /** Names of the variables that differ from those of the cluster. */
  readonly overridden: readonly string[];
  /** Ends the process, within its grace period, and removes the volumes. */
  close(): Promise<void>;
}

export interface RunOptions extends PodOptions {
  readonly onLine?: (line: string) => void;
}

/**
 * Runs the operator's Pod as a process on loopback, on free ports, as far as the operator can see: volumes that follow
 * the API, environment, user, arguments, readiness, grace period.
 * @throws Error with the log when it does not become ready
 */
export async function runPod(options: RunOptions): Promise<RunningPod> {
  const ports = { PORT: String(await freePort()), METRICS_PORT: String(await freePort()) };
  const overrides = { HOST: '127.0.0.1', ...ports, ...options.overrides };
  const launch = await launchOf({ ...options, overrides });
  const { pod, volumes, overridden } = launch;
  try {
    requireSamePorts(pod.template.spec.containers[0]);
    const { file, args, cwd, uid, gid } = launch;
    const hook = await HookProcess.start(launch.env, options.onLine, {
      ...{ file, args, cwd, graceMs: pod.template.spec.terminationGracePeriodSeconds * 1_000 },
      ...(uid === undefined ? {} : { uid }),
      ...(gid === undefined ? {} : { gid }),
      ...readyUrlOf(pod.template.spec.containers[0], launch),
    });
    const close = async (): Promise<void> => {
      await hook.stop().finally(() => volumes.close());
    };
    return { name: pod.name, hook, volumes, overridden, close };
  } catch (error) {
    await volumes.close();
    throw error;
  }
}

/** Here every port is another; in the cluster the declared ones must be those that the process listens on. */
function requireSamePorts({ ports, env }: Container): void {
  for (const { name = '', containerPort } of ports) {
    const variable = env.find((one) => one.name === portVariables[name]);
    if (variable?.value !== undefined && Number(variable.value) !== containerPort)
      throw new Error(`port ${name} is ${containerPort}, but ${variable.name} is ${variable.value}`);
  }
}

/** The readiness probe's URL, on the port that the process was given for the one that the probe names. */
function readyUrlOf({ readinessProbe, ports }: Container, { env }: Launch): { readyUrl?: string } {
  if (readinessProbe === undefined) return {};
  const { path, port, scheme } = readinessProbe.httpGet;
  const named = ports.find(({ name, containerPort }) => name === port || containerPort === port);
  const actual = env[portVariables[named?.name ?? ''] ?? ''];
  if (actual === undefined) throw new Error(`readinessProbe: no port of this machine stands for ${port}`);
  return { readyUrl: `${scheme.toLowerCase()}://127.0.0.1:${actual}${path}` };
}
