import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

import { z } from 'zod';

import { isRunning } from '../world/servers/is-running.ts';
import type { World } from '../world/world.ts';
import { Unusable } from './unusable.ts';

/** Where `npm run demo:sql` finds the server of a demo that was kept. */
const path = fileURLToPath(new URL('../../.demo/world.json', import.meta.url));

const keptShape = z.object({
  /** The demo's own. */
  pid: z.int().positive(),
  host: z.string(),
  port: z.int(),
  name: z.string(),
  password: z.string(),
  /** The management database. */
  database: z.string(),
  ca: z.string(),
});
type Kept = z.infer<typeof keptShape>;

/** The demo that is kept running in this folder; undefined: none. One that was killed does not count. */
export async function keptDemo(): Promise<Kept | undefined> {
  const text = await readFile(path, 'utf8').catch(() => undefined);
  const kept = text === undefined ? undefined : keptIn(text);
  return kept !== undefined && isRunning(kept.pid) ? kept : undefined;
}

/** Undefined: the file was not written to its end. */
function keptIn(text: string): Kept | undefined {
  try {
    return keptShape.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** @throws Unusable when another demo is kept: `demo:sql` could not tell them apart */
export async function refuseSecondKept(): Promise<void> {
  const kept = await keptDemo();
  if (kept === undefined) return;
  throw new Unusable(
    `a demo is kept in this folder already (process ${kept.pid}): end it first, with Ctrl-C`,
  );
}

export async function writeKept(world: World): Promise<void> {
  await refuseSecondKept();
  const { host, port, superuser } = world.postgres;
  const { managementDatabase: database } = world.management;
  const kept: Kept = { pid: process.pid, host, port, ...superuser, database, ca: world.ca };
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, JSON.stringify(kept), { mode: 0o600 });
}

export async function removeKept(): Promise<void> {
  if ((await keptDemo())?.pid === process.pid) await rm(path, { force: true });
}
