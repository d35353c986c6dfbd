import { join } from 'node:path';

import type { KubeClient } from './kubernetes/client.ts';
import { namespaces, serviceAccounts } from './kubernetes/resources.ts';
import { operatorName, operatorNamespace } from './names.ts';
import { ProjectedToken } from './projected-token.ts';
import { openBaoAudience, setUpKubernetesAuth, writeRole } from './servers/kubernetes-auth.ts';
import type { KvSetUp } from './servers/kv.ts';
import type { OpenBao } from './servers/openbao.ts';

interface Entry {
  readonly openBao: OpenBao;
  /** Whose policy whoever logs in gets. */
  readonly kvSetUp: Pick<KvSetUp, 'operatorPolicy'>;
  /** May ask for tokens of the ServiceAccount `openbao` in the namespace `openbao`, which reviews those of others. */
  readonly kube: KubeClient;
  /** URL of the Kubernetes API, and its CA as PEM. */
  readonly host: string;
  readonly ca: string;
  /** Of the auth method; default `kubernetes`. */
  readonly mount?: string;
}

interface Parts {
  readonly openBao: OpenBao;
  /** Where OpenBao asks about tokens. */
  readonly api: { readonly url: string };
  readonly kube: KubeClient;
  /** PEM: OpenBao wants one for the Kubernetes API even where it is not used. */
  readonly ca: string;
  readonly kvSetUp: Entry['kvSetUp'];
  /** Where the projected token is put. */
  readonly folder: string;
}

export const operatorRole = 'pgtenancy-operator';

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
  const { openBao, api, kube, ca, kvSetUp, folder } = parts;
  const namespace = operatorNamespace;
  await kube.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'openbao' } });
  await makeAccount(kube, 'openbao', 'openbao');
  await makeAccount(kube, namespace, operatorName);
  await letOperatorIn({ openBao, kvSetUp, kube, host: api.url, ca });
  const file = join(folder, 'openbao-token');
  const token = await ProjectedToken.start({
    ...{ kube, namespace, serviceAccount: operatorName },
    ...{ audience: openBaoAudience, file },
  });
  const env = {
    OPENBAO_AUTH: 'kubernetes',
    OPENBAO_ROLE: operatorRole,
    OPENBAO_SERVICE_ACCOUNT_TOKEN_FILE: file,
  };
  return { env, token };
}

/** Has OpenBao ask a Kubernetes API about tokens, and let in the operator's ServiceAccount there. */
export async function letOperatorIn(entry: Entry): Promise<void> {
  const { openBao, kvSetUp, kube, host, ca, mount = 'kubernetes' } = entry;
  // A day outlasts every demo.
  const { status } = await kube.requestToken('openbao', 'openbao', { expirationSeconds: 86_400 });
  await setUpKubernetesAuth(openBao, { mount, host, ca, reviewerToken: String(status?.['token']) });
  await writeRole(openBao, {
    ...{ mount, name: operatorRole, serviceAccount: operatorName, namespace: operatorNamespace },
    policies: [kvSetUp.operatorPolicy],
  });
}

const makeAccount = async (kube: KubeClient, namespace: string, name: string): Promise<void> => {
  await kube.create(serviceAccounts, {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name, namespace },
  });
};
