import { setTimeout as sleep } from 'node:timers/promises';

import type { KubeObject } from '../world/kubernetes/client.ts';
import type { World } from '../world/world.ts';
import { disturbances, looks } from './kept-commands.ts';
import { writeKept } from './kept-file.ts';
import type { Narrator } from './narrator.ts';

/** Leaves everything running, says how to look at it and how to disturb it, and revives the operator. Does not end. */
export async function keepRunning(
  world: World,
  tenant: KubeObject | undefined,
  narrator: Narrator,
): Promise<never> {
  await writeKept(world);
  narrator.heading('Kept running; Ctrl-C ends it. Phases and what the operator does go on being told here');
  narrator.detail(looks(world, tenant));
  if (tenant !== undefined) narrator.detail(disturbances(world, tenant));
  narrator.detail(`kubectl cannot talk to this stand-in for the API server (it has no discovery): curl can.
It heals within about 20 s because the demo looks often (CHECK_INTERVAL_SECONDS_MIN/MAX 5/10, RESYNC_SECONDS 5).
In production a Tenant at rest is checked every 600 to 3600 s, its Instance every 300 s, and Metacontroller calls
every 900 s (resyncPeriodSeconds).`);
  for (;;) {
    if (await world.hook.revive())
      narrator.line(`the operator runs again, as process ${world.hook.pid ?? 0}`);
    await sleep(500);
  }
}
