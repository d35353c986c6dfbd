import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { operatorNamespace } from '../world/names.ts';
import type { KubeObject, Resource } from '../world/kubernetes/client.ts';
import { secrets } from '../world/kubernetes/resources.ts';
import type { Certificate } from '../world/servers/pki.ts';
import type { ControlPlane } from './control-plane.ts';
import { untilServed } from './platform.ts';
import { mustRun } from './run-program.ts';

export const chartFolder = fileURLToPath(new URL('../../charts/postgresql-tenant-operator', import.meta.url));
export const deployments: Resource = { group: 'apps', version: 'v1', plural: 'deployments' };
/** Of the release, and therefore of its objects. */
export const operatorName = 'postgresql-tenant-operator';

/** helm, as cluster admin; what it keeps for itself goes into the folder of the plane. */
export const helm = ({ kubeconfig, folder }: ControlPlane, ...args: string[]): Promise<string> =>
  mustRun('helm', args, { env: { KUBECONFIG: kubeconfig, HOME: folder } });

/** Installs the chart, and waits until its kinds are served. @throws Error with what Helm says */
export async function installOperator(plane: ControlPlane, values: object): Promise<void> {
  const file = join(plane.folder, 'values.json');
  await writeFile(file, JSON.stringify(values), { mode: 0o600 });
  await helm(
    plane,
    ...['install', operatorName, chartFolder, '-n', operatorNamespace, '--create-namespace', '-f', file],
  );
  await untilServed(plane.kube, ['postgresqlinstances.pgtenancy.io', 'postgresqltenants.pgtenancy.io']);
}

/** The Pod template of the release's Deployment, as the API server has it. */
export async function operatorTemplate({ kube }: ControlPlane): Promise<object> {
  const deployment = await kube.get(deployments, operatorName, operatorNamespace);
  const spec = deployment?.spec as { template: object } | undefined;
  if (spec === undefined) throw new Error(`there is no Deployment ${operatorName}`);
  return spec.template;
}

/** The certificate that the chart made for the hook. */
export async function generatedCertificate({ kube }: ControlPlane): Promise<Certificate> {
  const secret = await kube.get(secrets, `${operatorName}-tls`, operatorNamespace);
  return { cert: textIn(secret, 'tls.crt'), key: textIn(secret, 'tls.key'), ca: textIn(secret, 'ca.crt') };
}

const textIn = (secret: KubeObject | undefined, key: string): string => {
  const value = secret?.data?.[key];
  if (value === undefined) throw new Error(`the Secret of the hook's certificate has no ${key}`);
  return Buffer.from(value, 'base64').toString();
};
