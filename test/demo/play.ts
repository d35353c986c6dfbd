import { readFile } from 'node:fs/promises';

import type { KubeObject } from '../world/kubernetes/client.ts';
import { instances, tenants } from '../world/kubernetes/resources.ts';
import { applyAll } from '../world/manifests-in.ts';
import { pgHost } from '../world/names.ts';
import type { World } from '../world/world.ts';
import { keepRunning } from './keep.ts';
import type { Narrator } from './narrator.ts';
import { deleteQuickstart, useQuickstart } from './quickstart.ts';
import { settled, type Outcome } from './settled.ts';
import { nameOf, tellPhases } from './watch-phases.ts';

interface Play {
  readonly world: World;
  readonly narrator: Narrator;
  /** Ends the telling of phases. */
  readonly signal: AbortSignal;
  readonly platform: readonly KubeObject[];
  readonly team: readonly KubeObject[];
  readonly isQuickstart: boolean;
  readonly keep: boolean;
  readonly onKept: () => void;
}

/** Plays the main job. @throws Error that names what is not Ready, and why */
export async function play({ world, narrator, signal, ...options }: Play): Promise<void> {
  for (const resource of [instances, tenants]) void tellPhases(world.kube, resource, narrator, signal);
  const objects = [...options.platform, ...options.team].map((object) => onOurPort(world, object));
  narrator.heading(`Applying ${objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`).join(', ')}`);
  narrator.restart();
  await applyAll(world.kube, objects);
  const outcomes: Outcome[] = [];
  for (const object of awaited(options.team)) outcomes.push(await settled(world, object, narrator));
  narrator.line(`settled; the operator's process holds ${await residentMiB(world)} MiB`);
  const allReady = outcomes.every(({ notReady }) => notReady === undefined);
  if (options.isQuickstart && allReady) await useQuickstart(world, narrator);
  if (options.keep) {
    options.onKept();
    const tenant = outcomes.find(({ object }) => object.kind === 'PostgreSQLTenant');
    await keepRunning(world, tenant?.object, narrator);
  }
  if (options.isQuickstart && allReady) outcomes.push(...(await deleteQuickstart(world, narrator)));
  assertReady(outcomes);
}

/** The port is this machine's own; everything else is applied as it is written. */
const onOurPort = (world: World, object: KubeObject): KubeObject =>
  object.kind === 'PostgreSQLInstance' && object.spec?.['host'] === pgHost
    ? { ...object, spec: { ...object.spec, port: world.postgres.port } }
    : object;

/** A team's Tenants; an administrator's file may hold Instances only. */
function awaited(team: readonly KubeObject[]): readonly KubeObject[] {
  const found = team.filter(({ kind }) => kind === 'PostgreSQLTenant');
  return found.length > 0 ? found : team.filter(({ kind }) => kind === 'PostgreSQLInstance');
}

function assertReady(outcomes: readonly Outcome[]): void {
  const failed = outcomes.flatMap(({ object, notReady }) =>
    notReady === undefined ? [] : [`${nameOf(object)}: ${notReady}`],
  );
  if (failed.length > 0) throw new Error(`Not Ready: ${failed.join('; ')}`);
}

async function residentMiB({ hook }: World): Promise<string> {
  const status = await readFile(`/proc/${hook.pid ?? 0}/status`, 'utf8').catch(() => '');
  const kiB = /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1];
  return kiB === undefined ? 'an unknown number of' : (Number(kiB) / 1024).toFixed(0);
}
