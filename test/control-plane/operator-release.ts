import { chartFolder } from '../chart/chart.ts';
import type { KubeObject, Resource } from '../world/kubernetes/client.ts';
import { secrets } from '../world/kubernetes/resources.ts';
import { installation, operatorName, operatorNamespace } from '../world/names.ts';
import type { PlatformServers } from '../world/platform-servers.ts';
import type { Certificate } from '../world/servers/pki.ts';
import type { ControlPlane } from './control-plane.ts';
import { helmOn } from './helm.ts';
import { untilServed } from './platform.ts';

export const deployments: Resource = { group: 'apps', version: 'v1', plural: 'deployments' };
/** Its name is that of its objects too. */
export const release = { name: operatorName, namespace: operatorNamespace };

/** What every release says here: where the servers of this machine are, and where Metacontroller reaches the hook. */
export const releaseValues = ({ openBao, kvSetUp, ca }: PlatformServers, hookUrl: string) => ({
  installation,
  image: { repository: 'registry.example.com/postgresql-tenant-operator' },
  openbao: {
    address: openBao.url,
    externalAddress: 'https://openbao.example.internal:8200',
    mount: kvSetUp.mount,
  },
  postgres: { ca: { bundle: ca } },
  metacontroller: { hookUrl },
  hook: { drainSeconds: 0 },
});

/** Installs the chart, and waits until its kinds are served. @throws Error with what Helm says */
export async function installOperator(plane: ControlPlane, values: object): Promise<void> {
  const { name, namespace } = release;
  await helmOn(plane).ok(['install', name, chartFolder, '-n', namespace, '--create-namespace'], values);
  await untilServed(plane.kube, ['postgresqlinstances.pgtenancy.io', 'postgresqltenants.pgtenancy.io']);
}

/** The Pod template of the release's Deployment, as the API server has it. */
export async function operatorTemplate({ kube }: ControlPlane): Promise<object> {
  const deployment = await kube.get(deployments, release.name, release.namespace);
  const spec = deployment?.spec as { template: object } | undefined;
  if (spec === undefined) throw new Error(`there is no Deployment ${release.name}`);
  return spec.template;
}

/** The certificate that the chart made for the hook. */
export async function generatedCertificate({ kube }: ControlPlane): Promise<Certificate> {
  const secret = await kube.get(secrets, `${release.name}-tls`, release.namespace);
  return { cert: textIn(secret, 'tls.crt'), key: textIn(secret, 'tls.key'), ca: textIn(secret, 'ca.crt') };
}

const textIn = (secret: KubeObject | undefined, key: string): string => {
  const value = secret?.data?.[key];
  if (value === undefined) throw new Error(`the Secret of the hook's certificate has no ${key}`);
  return Buffer.from(value, 'base64').toString();
};
