import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { parse, parseAllDocuments, stringify } from 'yaml';
import { z } from 'zod';

import type { ControlPlane } from '../../control-plane/control-plane.ts';
import { startExternalSecretsProcess } from '../../control-plane/external-secrets-process.ts';
import { externalSecretsCrds, installCrds, metacontrollerCrds } from '../../control-plane/platform.ts';
import { mustRun } from '../../control-plane/run-program.ts';
import { accessOf } from '../../control-plane/service-account.ts';
import type { RunningMetacontroller } from '../../control-plane/metacontroller-process.ts';
import { runMetacontroller } from '../../control-plane/run-metacontroller.ts';
import { programPath } from '../../programs/programs.ts';
import type { KubeObject } from '../../world/kubernetes/client.ts';
import type { AtEnd } from '../../world/servers/closable.ts';
import type { Call, StandIn } from './stand-ins.ts';

const controllers = new URL('../../control-plane/manifests/controllers.yaml', import.meta.url);

/** What metacontroller/values.yaml says to Metacontroller's chart: anything else would go unseen here. */
const metacontrollerValues = z.strictObject({
  commandArgs: z.array(z.string().startsWith('--')),
  clusterRole: z.strictObject({ aggregationRule: z.object({}).loose(), rules: z.tuple([]) }),
});

interface Options {
  readonly plane: ControlPlane;
  readonly atEnd: AtEnd;
}

/**
 * Helm, but for the two charts that are not here: in place of these come their CRDs, their rights and their programs.
 * Metacontroller's ClusterRole is the one that the values ask for.
 */
export const helmWithForeignCharts =
  (options: Options): StandIn =>
  async (call) => {
    const [verb, name, chart = ''] = call.args;
    if (verb === 'repo' && name === 'add') return `"${chart}" has been added\n`;
    if (verb === 'install' && chart.endsWith('/metacontroller-helm')) return metacontroller(options, call);
    if (verb === 'install' && chart === 'external-secrets/external-secrets')
      return externalSecrets(options, call);
    return { run: await programPath('helm') };
  };

async function metacontroller(options: Options, call: Call): Promise<string> {
  const values = await readFile(join(call.cwd, valueOf(call, '--values')), 'utf8');
  await installMetacontroller(options, valueOf(call, '--namespace'), values);
  return 'STATUS: deployed\n';
}

async function externalSecrets(options: Options, call: Call): Promise<string> {
  await installExternalSecrets(options, valueOf(call, '--namespace'));
  return 'STATUS: deployed\n';
}

/** @param values text of what its chart is told: the rights in it are those that it gets */
export async function installMetacontroller(
  { plane, atEnd }: Options,
  namespace: string,
  values: string,
): Promise<RunningMetacontroller> {
  const { clusterRole } = metacontrollerValues.parse(parse(values));
  await installCrds(plane, await metacontrollerCrds());
  await apply(plane, namespace, (object) =>
    object.kind === 'ClusterRole' ? { ...object, ...clusterRole } : object,
  );
  const access = await accessOf(plane.kube, plane.admin, { namespace, name: 'metacontroller' });
  const running = await runMetacontroller(plane.folder, access);
  atEnd(() => running.stop());
  return running;
}

export async function installExternalSecrets({ plane, atEnd }: Options, namespace: string): Promise<void> {
  await installCrds(plane, await externalSecretsCrds());
  await apply(plane, namespace, (object) => object);
  const access = await accessOf(plane.kube, plane.admin, { namespace, name: 'external-secrets' });
  const running = await startExternalSecretsProcess(plane.folder, access);
  atEnd(() => running.stop());
}

/** Of the objects of all controllers, those of the one that lives in this namespace. */
async function apply(
  { kubeconfig }: ControlPlane,
  namespace: string,
  change: (object: KubeObject) => object,
): Promise<void> {
  const all = parseAllDocuments(await readFile(controllers, 'utf8')).map((one) => one.toJS() as KubeObject);
  const its = all.filter(({ metadata }) => metadata.name === namespace);
  await mustRun('kubectl', ['apply', '--server-side', '-f', '-'], {
    env: { KUBECONFIG: kubeconfig },
    input: its.map((object) => stringify(change(object))).join('---\n'),
  });
}

function valueOf({ args }: Call, option: string): string {
  const value = args[args.indexOf(option) + 1];
  if (!args.includes(option) || value === undefined) throw new Error(`helm without ${option}`);
  return value;
}
