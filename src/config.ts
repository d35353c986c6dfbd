import { z } from 'zod';

import { isMountPath } from './openbao/path.ts';

/** Everything that the process is told from outside; made once, frozen. Holds no secret, only the paths of their files. */
export type Config = ReturnType<typeof configOf>;

type ReadFile = (path: string) => string;

/**
 * Reads the whole configuration. An empty variable counts as unset. Throws one `Error` that lists every faulty
 * variable by name; values are never repeated, because a secret may have slipped into one.
 */
export const readConfig = (env: Readonly<Record<string, string | undefined>>, readFile: ReadFile): Config => {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const parsed = environmentShape(readFile).safeParse(given);
  if (parsed.success) return configOf(parsed.data);
  const faults = parsed.error.issues.map(({ path, message }) => `- ${path.join('.')} ${message}`);
  throw new Error(`the configuration is not valid:\n${[...new Set(faults)].join('\n')}`);
};

const required = () => z.string({ error: 'is required' });

const kubernetesName = () =>
  required()
    .regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/, 'must be a Kubernetes name: a-z, 0-9 and - in between')
    .max(63, 'must have at most 63 characters');

const url = () =>
  required().refine(isPlainUrl, 'must be a http or https URL without user, query and fragment');

const isPlainUrl = (text: string): boolean => {
  const parsed = URL.parse(text);
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) return false;
  return [parsed.username, parsed.password, parsed.search, parsed.hash].every((part) => part === '');
};

const openBaoPath = () =>
  required().refine(isMountPath, 'must be a path of OpenBao without slashes around it');

const integer = (min: number, max: number, standard: number, why = '') => {
  const message = `must be a whole number from ${min} to ${max}${why}`;
  return z
    .string()
    .regex(/^[0-9]{1,9}$/, message)
    .transform(Number)
    .refine((value) => value >= min && value <= max, message)
    .default(standard);
};

/** The variable names a file of PEM certificates; its content is what counts. */
const certificates = (readFile: ReadFile) =>
  z
    .string()
    .transform((path, context) => {
      const text = contentOf(path, readFile);
      if (text?.includes('-----BEGIN CERTIFICATE-----')) return text;
      context.addIssue({ code: 'custom', message: 'must name a readable file of PEM certificates' });
      return z.NEVER;
    })
    .optional();

const contentOf = (path: string, readFile: ReadFile): string | undefined => {
  try {
    return readFile(path);
  } catch {
    return undefined;
  }
};

const variables = (readFile: ReadFile) =>
  z.object({
    /** Address that the hook listens on. */
    HOST: z.string().default('0.0.0.0'),
    /** 0: any free port. */
    PORT: integer(0, 65_535, 8080),
    LOG_LEVEL: z
      .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], {
        error: 'must be fatal, error, warn, info, debug, trace or silent',
      })
      .default('info'),
    /** Tells this operator from others on the same servers; the first segment of every credential's path. */
    INSTALLATION: kubernetesName(),
    /** Where the management Secrets are. */
    OPERATOR_NAMESPACE: kubernetesName(),
    KUBERNETES_URL: url().default('https://kubernetes.default.svc'),
    /** Both are read again every minute. */
    KUBERNETES_CA_FILE: z.string().optional(),
    KUBERNETES_TOKEN_FILE: z.string().optional(),
    /** Should lead to the active node: no other is believed that a credential is absent, or asked to delete one. */
    OPENBAO_ADDRESS: url(),
    /** For consumers, as it appears in status; OPENBAO_ADDRESS when unset. */
    OPENBAO_EXTERNAL_ADDRESS: url().optional(),
    /** A KV version 2 mount. */
    OPENBAO_MOUNT: openBaoPath(),
    OPENBAO_NAMESPACE: openBaoPath().optional(),
    OPENBAO_CA_FILE: certificates(readFile),
    /** Read again when OpenBao refuses the token. */
    OPENBAO_TOKEN_FILE: required(),
    SECRET_STORE_KIND: z
      .enum(['ClusterSecretStore', 'SecretStore'], { error: 'must be ClusterSecretStore or SecretStore' })
      .default('ClusterSecretStore'),
    SECRET_STORE_NAME: required(),
    /** For Instances without `spec.tls.caBundle`. */
    POSTGRES_CA_FILE: certificates(readFile),
    /** What the CompositeControllers say; a request is given up at 80 % of it. */
    HOOK_TIMEOUT_SECONDS: integer(
      15,
      300,
      15,
      ': a request is given up at 80 % of it, which must leave room for waits of up to 8 s for PostgreSQL',
    ),
    /**
     * How long a process that was told to stop still takes requests, with its readiness down: the time that it takes
     * until nobody sends it any. Together with 80 % of HOOK_TIMEOUT_SECONDS it must stay below the Pod's
     * `terminationGracePeriodSeconds`.
     */
    DRAIN_SECONDS: integer(0, 60, 5),
    /** How long a login check holds: a random time between the two. */
    CHECK_INTERVAL_SECONDS_MIN: integer(1, 86_400, 600),
    CHECK_INTERVAL_SECONDS_MAX: integer(1, 86_400, 3600),
    /** How long a Tenant or an Instance that needs nothing is left alone. */
    RESYNC_SECONDS: integer(1, 86_400, 300),
  });

type Variables = z.infer<ReturnType<typeof variables>>;

const environmentShape = (readFile: ReadFile) =>
  variables(readFile)
    .refine(({ OPENBAO_MOUNT: mount, INSTALLATION: name }) => mount.split('/')[0] !== name, {
      path: ['OPENBAO_MOUNT'],
      error: 'must differ from INSTALLATION: External Secrets cuts the name of the mount off a key',
      when: unfaulted('OPENBAO_MOUNT', 'INSTALLATION'),
    })
    .refine((env) => env.CHECK_INTERVAL_SECONDS_MIN <= env.CHECK_INTERVAL_SECONDS_MAX, {
      path: ['CHECK_INTERVAL_SECONDS_MIN'],
      error: 'must not be greater than CHECK_INTERVAL_SECONDS_MAX',
      when: unfaulted('CHECK_INTERVAL_SECONDS_MIN', 'CHECK_INTERVAL_SECONDS_MAX'),
    });

/** Two variables are compared although another one is faulty, so that one run shows every fault. */
const unfaulted =
  (...names: readonly string[]) =>
  ({ issues }: { readonly issues: readonly { readonly path?: readonly PropertyKey[] | undefined }[] }) =>
    !issues.some(({ path }) => names.includes(String(path?.[0])));

const configOf = (env: Variables) =>
  Object.freeze({
    host: env.HOST,
    port: env.PORT,
    logLevel: env.LOG_LEVEL,
    installation: env.INSTALLATION,
    operatorNamespace: env.OPERATOR_NAMESPACE,
    kubernetes: Object.freeze({
      url: env.KUBERNETES_URL,
      caFile: env.KUBERNETES_CA_FILE,
      tokenFile: env.KUBERNETES_TOKEN_FILE,
    }),
    openbao: Object.freeze({
      address: env.OPENBAO_ADDRESS,
      externalAddress: env.OPENBAO_EXTERNAL_ADDRESS ?? env.OPENBAO_ADDRESS,
      mount: env.OPENBAO_MOUNT,
      namespace: env.OPENBAO_NAMESPACE,
      /** PEM. */
      ca: env.OPENBAO_CA_FILE,
      tokenFile: env.OPENBAO_TOKEN_FILE,
    }),
    secretStore: Object.freeze({ kind: env.SECRET_STORE_KIND, name: env.SECRET_STORE_NAME }),
    /** PEM. */
    postgresCa: env.POSTGRES_CA_FILE,
    /** After which a request answers with what it has. */
    deadlineMs: env.HOOK_TIMEOUT_SECONDS * 800,
    /** Between the end of readiness and the end of listening. */
    drainMs: env.DRAIN_SECONDS * 1_000,
    checkIntervalSeconds: Object.freeze({
      min: env.CHECK_INTERVAL_SECONDS_MIN,
      max: env.CHECK_INTERVAL_SECONDS_MAX,
    }),
    resyncSeconds: env.RESYNC_SECONDS,
  });
