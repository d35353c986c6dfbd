import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';

import { ApiError, type KubeObject } from '../world/kubernetes/client.ts';
import { yamlDocuments } from '../world/kubernetes/manifests.ts';
import { instances, tenants } from '../world/kubernetes/resources.ts';
import { applyAll } from '../world/manifests-in.ts';
import { waitFor } from '../world/servers/wait-for.ts';
import { pgHost, startWorld, type World } from '../world/world.ts';
import { keepRunning } from './keep.ts';
import { Narrator } from './narrator.ts';
import { remains } from './remains.ts';
import { firstMinute, readSecret } from './use-credential.ts';
import { conditionsOf, tellPhases } from './watch-phases.ts';

/*
 * The main job on this machine: real PostgreSQL and real OpenBao, stand-ins for Kubernetes, Metacontroller and
 * External Secrets, and the operator as its own process. `--keep` leaves it running; files replace the team's YAML.
 */

const { values, positionals } = parseArgs({
  options: { keep: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const narrator = new Narrator();
const quickstart = (file: string) => new URL(`../../examples/quickstart/${file}`, import.meta.url);

let failed = false;
narrator.heading('Starting the world (PostgreSQL, OpenBao and the stand-ins; a few seconds)');
const world = await startWorld({ onStep: (what) => narrator.line(what) });
const watching = new AbortController();
try {
  await play(world);
} catch (error) {
  failed = true;
  narrator.heading(error instanceof ApiError ? 'The API server refused' : 'The demo failed');
  console.error(error instanceof Error ? error.message : error);
} finally {
  watching.abort();
  await world.close();
}
process.exitCode = failed ? 1 : 0;

async function play(world: World): Promise<void> {
  for (const resource of [instances, tenants]) {
    void tellPhases(world.kube, resource, narrator, watching.signal);
  }
  const team = positionals.length === 0 ? [quickstart('team.yaml')] : positionals;
  const objects = [
    ...(await documents(world, [quickstart('platform.yaml')])),
    ...(await documents(world, team)),
  ];
  narrator.heading(`Applying ${objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`).join(', ')}`);
  narrator.restart();
  await applyAll(world.kube, objects);
  const wanted = objects.filter(({ kind }) => kind === 'PostgreSQLTenant');
  for (const tenant of wanted) await settled(world, tenant);
  narrator.line(`settled; the operator's process holds ${await residentMiB(world)} MiB`);
  if (positionals.length === 0) await quickstartStory(world);
  if (values.keep) await keepRunning(world, narrator);
}

/** The port is this machine's own; everything else is applied as it is written. */
async function documents(world: World, files: readonly (string | URL)[]): Promise<KubeObject[]> {
  const objects = (await Promise.all(files.map(read))).flat();
  return objects.map((object) =>
    object.kind === 'PostgreSQLInstance' && object.spec?.['host'] === pgHost
      ? { ...object, spec: { ...object.spec, port: world.postgres.port } }
      : object,
  );
}

async function read(file: string | URL): Promise<KubeObject[]> {
  try {
    return await yamlDocuments(file);
  } catch (error) {
    throw new Error(`${String(file)}: ${error instanceof Error ? error.message : ''}`, { cause: error });
  }
}

/** Ready, or standing still for a reason that waiting does not change. */
async function settled({ kube }: World, { metadata }: KubeObject): Promise<void> {
  const look = () => kube.get(tenants, metadata.name, metadata.namespace ?? 'default');
  const status = await waitFor(
    `Tenant ${metadata.name} to become Ready or to say why not`,
    async () => {
      const tenant = await look();
      const conditions = conditionsOf(tenant?.status);
      const done = conditions.some(
        ({ type, status }) => (type === 'Ready' || type === 'Stalled') && status === 'True',
      );
      return done ? tenant?.status : undefined;
    },
    { timeoutMs: 20_000, everyMs: 10 },
  ).catch(async () => {
    narrator.line(`Tenant ${metadata.name} is not Ready yet, and waits:`);
    failed = true;
    return (await look())?.status;
  });
  tellConditions(status);
}

function tellConditions(status: KubeObject['status']): void {
  for (const { type, status: said, reason, message } of conditionsOf(status)) {
    narrator.detail(`${type.padEnd(22)} ${said.padEnd(8)} ${reason}${message === '' ? '' : `: ${message}`}`);
  }
}

async function quickstartStory(world: World): Promise<void> {
  narrator.heading('An application logs in with what the Secret orders-postgresql says (verify-full)');
  const secret = await readSecret(world.kube, 'shop', 'orders-postgresql');
  narrator.detail(`keys: ${Object.keys(secret).sort().join(' ')}`);
  narrator.detail((await firstMinute(secret)).join('\n'));
  if (values.keep) return;
  narrator.heading('A second Tenant, with deletionPolicy Delete');
  const preview = await documents(world, [quickstart('preview.yaml')]);
  await applyAll(world.kube, preview);
  for (const tenant of preview) await settled(world, tenant);
  await deleteAndShow(world, 'orders', 'Retain');
  await deleteAndShow(world, 'preview', 'Delete');
}

async function deleteAndShow(world: World, name: string, policy: string): Promise<void> {
  narrator.heading(`Deleting shop/${name} (${policy})`);
  await world.kube.delete(tenants, name, 'shop');
  const gone = async () => (await world.kube.get(tenants, name, 'shop')) === undefined;
  await waitFor(`Tenant ${name} to go`, gone, { timeoutMs: 30_000 }).catch(async (error: unknown) => {
    tellConditions((await world.kube.get(tenants, name, 'shop'))?.status);
    throw error;
  });
  // The Secret follows its ExternalSecret by garbage collection, a moment later.
  const left = () => remains(world, 'shop', name, `shop_${name}`);
  await waitFor('the Secret to go', async () => (await left()).at(-1)?.endsWith('nothing') === true);
  narrator.detail((await left()).join('\n'));
}

async function residentMiB({ hook }: World): Promise<string> {
  const status = await readFile(`/proc/${hook.pid ?? 0}/status`, 'utf8').catch(() => '');
  const kiB = /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1];
  return kiB === undefined ? 'an unknown number of' : (Number(kiB) / 1024).toFixed(0);
}
