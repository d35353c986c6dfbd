import { callOpenBao } from './openbao-api.ts';
import type { OpenBao } from './openbao.ts';

interface AuthMount {
  /** Default `kubernetes`. */
  readonly mount?: string;
  /** Where OpenBao finds the Kubernetes API. */
  readonly host: string;
  /** PEM; OpenBao wants one for plain HTTP too. */
  readonly ca: string;
  /** Token of a service account that may ask for token reviews. */
  readonly reviewerToken: string;
}

interface Role {
  readonly mount?: string;
  readonly name: string;
  readonly serviceAccount: string;
  readonly namespace: string;
  readonly policies: readonly string[];
  /** Seconds; default 15 minutes. */
  readonly ttl?: number;
  /** Other settings of the role. */
  readonly settings?: object;
}

/** What the tokens that log in are made for. */
export const openBaoAudience = 'openbao';

/** Mounts the auth method `kubernetes`, which asks that API about every token. */
export async function setUpKubernetesAuth(
  bao: OpenBao,
  { mount = 'kubernetes', host, ca, reviewerToken }: AuthMount,
): Promise<void> {
  await callOpenBao(bao.root, { method: 'POST', path: `sys/auth/${mount}`, body: { type: 'kubernetes' } });
  const body = {
    kubernetes_host: host,
    kubernetes_ca_cert: ca,
    token_reviewer_jwt: reviewerToken,
    disable_local_ca_jwt: true,
  };
  await callOpenBao(bao.root, { method: 'POST', path: `auth/${mount}/config`, body });
}

/** One service account of one namespace, and no policy but those named. */
export async function writeRole(bao: OpenBao, role: Role): Promise<void> {
  const { mount = 'kubernetes', name, serviceAccount, namespace, policies, ttl = 900, settings } = role;
  const body = {
    bound_service_account_names: serviceAccount,
    bound_service_account_namespaces: namespace,
    audience: openBaoAudience,
    token_policies: policies,
    token_no_default_policy: true,
    token_ttl: ttl,
    ...settings,
  };
  await callOpenBao(bao.root, { method: 'POST', path: `auth/${mount}/role/${name}`, body });
}
