import { join } from 'node:path';

import type { KubeClient } from './kubernetes/client.ts';
import { namespaces, serviceAccounts } from './kubernetes/resources.ts';
import { ProjectedToken } from './projected-token.ts';
import { openBaoAudience, setUpKubernetesAuth, writeRole } from './servers/kubernetes-auth.ts';
import type { OpenBao } from './servers/openbao.ts';

interface Parts {
  readonly openBao: OpenBao;
  /** Where OpenBao asks about tokens. */
  readonly api: { readonly url: string };
  readonly kube: KubeClient;
  /** PEM: OpenBao wants one for the Kubernetes API even where it is not used. */
  readonly ca: string;
  /** Name of the policy that whoever logs in gets. */
  readonly policy: string;
  readonly namespace: string;
  /** Where the projected token is put. */
  readonly folder: string;
}

export const operatorRole = 'pgtenancy-operator';
const operatorAccount = 'postgresql-tenant-operator';

interface OperatorLogin {
  /** What the operator is told about it. */
  readonly env: Readonly<Record<string, string>>;
  readonly token: ProjectedToken;
}

/**
 * The operator's service account and its projected token, and the auth mount of OpenBao that lets it in after asking the
 * Kubernetes API.
 */
export async function setUpOperatorLogin(parts: Parts): Promise<OperatorLogin> {
  const { openBao, api, kube, ca, policy, namespace, folder } = parts;
  await kube.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'openbao' } });
  await makeAccount(kube, 'openbao', 'openbao');
  await makeAccount(kube, namespace, operatorAccount);
  // A day outlasts every demo.
  const reviewer = await kube.requestToken('openbao', 'openbao', { expirationSeconds: 86_400 });
  const reviewerToken = String(reviewer.status?.['token']);
  await setUpKubernetesAuth(openBao, { host: api.url, ca, reviewerToken });
  await writeRole(openBao, {
    name: operatorRole,
    serviceAccount: operatorAccount,
    namespace,
    policies: [policy],
  });
  const file = join(folder, 'openbao-token');
  const token = await ProjectedToken.start({
    ...{ kube, namespace, serviceAccount: operatorAccount },
    ...{ audience: openBaoAudience, file },
  });
  const env = {
    OPENBAO_AUTH: 'kubernetes',
    OPENBAO_ROLE: operatorRole,
    OPENBAO_SERVICE_ACCOUNT_TOKEN_FILE: file,
  };
  return { env, token };
}

const makeAccount = async (kube: KubeClient, namespace: string, name: string): Promise<void> => {
  await kube.create(serviceAccounts, {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name, namespace },
  });
};
