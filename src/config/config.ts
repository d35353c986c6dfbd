import type { HookCredentialSources } from '../hook-credentials/hook-credentials.ts';
import type { OpenBaoAuth } from '../openbao/token-source-of.ts';
import { certificateBlocks } from '../pem.ts';
import type { NamedFile } from './file-shapes.ts';
import { openBaoDefaults } from './openbao-variables.ts';
import type { Variables } from './variables.ts';

/** Everything that the process is told from outside; made once, frozen with all that is in it. */
export interface Config {
  readonly logLevel: Variables['LOG_LEVEL'];
  /** Tells this operator from others on the same servers; the first segment of every credential's path. */
  readonly installation: string;
  /** Where the management Secrets are. */
  readonly operatorNamespace: string;
  readonly hook: HookConfig;
  /** Plain HTTP for `/healthz`, `/readyz` and `/metrics`. Port 0: any free one. */
  readonly metrics: { readonly host: string; readonly port: number };
  readonly kubernetes: KubernetesConfig;
  readonly openbao: OpenBaoConfig;
  readonly secretStore: { readonly kind: Variables['SECRET_STORE_KIND']; readonly name: string };
  /** PEM; for Instances without `spec.tls.caBundle`. */
  readonly postgresCa: string | undefined;
  /** After which a request answers with what it has. */
  readonly deadlineMs: number;
  /** Between the end of readiness and the end of listening. */
  readonly drainMs: number;
  /** How long a login check holds: a random time between the two. */
  readonly checkIntervalSeconds: { readonly min: number; readonly max: number };
  /** How long a Tenant or an Instance that needs nothing is left alone. */
  readonly resyncSeconds: number;
}

/** The files were read and fitted together at the start. */
interface HookConfig extends HookCredentialSources {
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
}

interface KubernetesConfig {
  readonly url: string;
  /** With an https URL both are there. */
  readonly caFile: string | undefined;
  readonly tokenFile: string | undefined;
}

interface OpenBaoConfig {
  /** An origin, such as `https://openbao:8200`. */
  readonly address: string;
  /** For consumers, as it appears in status. */
  readonly externalAddress: string;
  readonly mount: string;
  readonly namespace: string | undefined;
  /** Read again every minute. Undefined: the system's roots, as was asked for, or plain HTTP. */
  readonly caFile: string | undefined;
  readonly auth: OpenBaoAuth;
}

/** From variables that passed every check. */
export const configOf = (env: Variables): Config => ({
  logLevel: env.LOG_LEVEL,
  installation: env.INSTALLATION,
  operatorNamespace: env.OPERATOR_NAMESPACE,
  hook: { host: env.HOST, port: env.PORT, tls: hookTlsOf(env), tokens: hookTokensOf(env) },
  metrics: { host: env.HOST, port: env.METRICS_PORT },
  kubernetes: {
    url: env.KUBERNETES_URL,
    caFile: env.KUBERNETES_CA_FILE?.path,
    tokenFile: env.KUBERNETES_TOKEN_FILE?.path,
  },
  openbao: {
    address: env.OPENBAO_ADDRESS,
    externalAddress: env.OPENBAO_EXTERNAL_ADDRESS ?? env.OPENBAO_ADDRESS,
    mount: env.OPENBAO_MOUNT,
    namespace: env.OPENBAO_NAMESPACE,
    caFile: env.OPENBAO_CA_FILE?.path,
    auth: openBaoAuthOf(env),
  },
  secretStore: { kind: env.SECRET_STORE_KIND, name: env.SECRET_STORE_NAME },
  postgresCa: bundleOf(env.POSTGRES_CA_FILE),
  deadlineMs: env.HOOK_TIMEOUT_SECONDS * 800,
  drainMs: env.DRAIN_SECONDS * 1_000,
  checkIntervalSeconds: { min: env.CHECK_INTERVAL_SECONDS_MIN, max: env.CHECK_INTERVAL_SECONDS_MAX },
  resyncSeconds: env.RESYNC_SECONDS,
});

/** Node ignores certificates without a line break between them. */
const bundleOf = (file: NamedFile | undefined): string | undefined =>
  file === undefined ? undefined : certificateBlocks(file.text).join('\n');

const hookTlsOf = ({ HOOK_TLS_CERT_FILE: cert, HOOK_TLS_KEY_FILE: key }: Variables): HookConfig['tls'] =>
  cert === undefined || key === undefined ? undefined : { certFile: cert.path, keyFile: key.path };

const hookTokensOf = ({ HOOK_TOKEN: given, HOOK_TOKEN_FILE: file }: Variables): HookConfig['tokens'] => {
  if (file !== undefined) return { file: file.path };
  return given === undefined ? undefined : { values: given };
};

const openBaoAuthOf = (env: Variables): OpenBaoAuth => {
  if (env.OPENBAO_TOKEN_FILE !== undefined) return { kind: 'token', file: env.OPENBAO_TOKEN_FILE.path };
  if (env.OPENBAO_TOKEN !== undefined) return { kind: 'token', value: env.OPENBAO_TOKEN };
  if (env.OPENBAO_ROLE === undefined) throw new Error('OPENBAO_ROLE should have been asked for');
  return {
    kind: 'kubernetes',
    role: env.OPENBAO_ROLE,
    mount: env.OPENBAO_AUTH_MOUNT ?? openBaoDefaults.authMount,
    tokenFile: env.OPENBAO_SERVICE_ACCOUNT_TOKEN_FILE?.path ?? openBaoDefaults.serviceAccountTokenFile,
  };
};
