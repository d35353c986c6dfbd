import { spawn } from 'node:child_process';

import { runGroupToEnd } from '../../world/servers/run-to-end.ts';
import { launchOf, type PodOptions } from './launch.ts';

export interface Completion {
  /** null: it was killed, because it took too long. */
  readonly code: number | null;
  /** Both streams. */
  readonly output: string;
  readonly overridden: readonly string[];
}

/**
 * Runs a Pod that ends by itself, such as that of `helm test`, for as long as its `activeDeadlineSeconds` allows, by
 * default 120 s. What the API says about the Pod is for the caller to write.
 */
export async function runToCompletion(options: PodOptions): Promise<Completion> {
  const { pod, file, args, volumes, overridden, ...how } = await launchOf(options);
  try {
    const { cwd, env, uid, gid } = how;
    const child = spawn(file, args, {
      ...{ cwd, env },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
      ...(uid === undefined ? {} : { uid }),
      ...(gid === undefined ? {} : { gid }),
    });
    const deadlineMs = (pod.template.spec.activeDeadlineSeconds ?? 120) * 1_000;
    const { code, output } = await runGroupToEnd(child, deadlineMs);
    return { code, output, overridden };
  } finally {
    await volumes.close();
  }
}
