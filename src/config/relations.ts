import { readHookCertificate } from '../hook-credentials/hook-certificate.ts';
import { fileAt, token, type ReadFile } from './file-shapes.ts';
import { openBaoDefaults } from './openbao-variables.ts';
import {
  exactlyWith,
  neededWith,
  refusedWithout,
  secretWith,
  type Condition,
  type Relation,
} from './relation.ts';
import { isHttps } from './urls.ts';

export const relations = (readFile: ReadFile): readonly Relation[] => [
  ...hookRelations,
  ...kubernetesRelations,
  ...openBaoRelations,
  ...openBaoLoginRelations(readFile),
  {
    variable: 'CHECK_INTERVAL_SECONDS_MIN',
    reads: ['CHECK_INTERVAL_SECONDS_MAX'],
    holds: (env) => env.CHECK_INTERVAL_SECONDS_MIN <= env.CHECK_INTERVAL_SECONDS_MAX,
    fault: 'must not be greater than CHECK_INTERVAL_SECONDS_MAX',
  },
];

const hookTls: Condition = {
  reads: ['HOOK_TLS'],
  holds: (env) => env.HOOK_TLS === 'on',
  text: 'HOOK_TLS=on, the default',
  opposite: 'HOOK_TLS=off',
};
const hookAuthentication: Condition = {
  reads: ['HOOK_AUTHENTICATION'],
  holds: (env) => env.HOOK_AUTHENTICATION === 'token',
  text: 'HOOK_AUTHENTICATION=token, the default (HOOK_AUTHENTICATION=none runs without a token)',
  opposite: 'HOOK_AUTHENTICATION=none',
};

const hookRelations: readonly Relation[] = [
  ...exactlyWith('HOOK_TLS_CERT_FILE', hookTls),
  ...exactlyWith('HOOK_TLS_KEY_FILE', hookTls),
  {
    variable: 'HOOK_TLS_KEY_FILE',
    reads: ['HOOK_TLS_CERT_FILE'],
    holds: ({ HOOK_TLS_CERT_FILE: certificate, HOOK_TLS_KEY_FILE: key }) =>
      certificate === undefined ||
      key === undefined ||
      'value' in readHookCertificate(certificate.text, key.text),
    fault:
      'names a key that cannot be used with HOOK_TLS_CERT_FILE: it is not that of the first certificate there, or OpenSSL refuses one of the two',
  },
  ...secretWith('HOOK_TOKEN', hookAuthentication),
  {
    variable: 'METRICS_PORT',
    reads: ['PORT'],
    holds: ({ PORT: port, METRICS_PORT: metricsPort }) => port !== metricsPort || port === 0,
    fault: 'must differ from PORT',
  },
];

const kubernetesHttps: Condition = {
  reads: ['KUBERNETES_URL'],
  holds: (env) => isHttps(env.KUBERNETES_URL),
  text: 'an https KUBERNETES_URL, the default',
  opposite: 'an http KUBERNETES_URL',
};

const kubernetesRelations: readonly Relation[] = [
  ...exactlyWith('KUBERNETES_CA_FILE', kubernetesHttps),
  neededWith('KUBERNETES_TOKEN_FILE', kubernetesHttps),
];

const openBaoHttps: Condition = {
  reads: ['OPENBAO_ADDRESS'],
  holds: (env) => isHttps(env.OPENBAO_ADDRESS),
  text: 'an https OPENBAO_ADDRESS',
  opposite: 'an http OPENBAO_ADDRESS',
};

const openBaoRelations: readonly Relation[] = [
  {
    variable: 'OPENBAO_MOUNT',
    reads: ['INSTALLATION'],
    holds: ({ OPENBAO_MOUNT: mount, INSTALLATION: name }) => mount.split('/')[0] !== name,
    fault:
      'must not begin with the word that INSTALLATION is: External Secrets would cut it off the path of a credential; choose another INSTALLATION',
  },
  neededWith(
    'OPENBAO_CA_FILE',
    {
      ...openBaoHttps,
      reads: ['OPENBAO_ADDRESS', 'OPENBAO_TRUST_SYSTEM_ROOTS'],
      holds: (env) => openBaoHttps.holds(env) && env.OPENBAO_TRUST_SYSTEM_ROOTS === 'false',
    },
    ' (OPENBAO_TRUST_SYSTEM_ROOTS=true is for a certificate of a public CA)',
  ),
  refusedWithout('OPENBAO_CA_FILE', openBaoHttps),
  refusedWithout('OPENBAO_CA_FILE', {
    reads: ['OPENBAO_TRUST_SYSTEM_ROOTS'],
    holds: (env) => env.OPENBAO_TRUST_SYSTEM_ROOTS === 'false',
    text: 'OPENBAO_TRUST_SYSTEM_ROOTS=false',
    opposite: 'OPENBAO_TRUST_SYSTEM_ROOTS=true',
  }),
  {
    variable: 'OPENBAO_TRUST_SYSTEM_ROOTS',
    reads: ['OPENBAO_ADDRESS'],
    holds: (env) => env.OPENBAO_TRUST_SYSTEM_ROOTS === 'false' || openBaoHttps.holds(env),
    fault: 'must not be true with an http OPENBAO_ADDRESS, which shows no certificate',
  },
];

const kubernetesLogin: Condition = {
  reads: ['OPENBAO_AUTH'],
  holds: (env) => env.OPENBAO_AUTH === 'kubernetes',
  text: 'OPENBAO_AUTH=kubernetes, the default',
  opposite: 'OPENBAO_AUTH=token',
};
const tokenLogin: Condition = {
  reads: ['OPENBAO_AUTH'],
  holds: (env) => env.OPENBAO_AUTH === 'token',
  text: 'OPENBAO_AUTH=token',
  opposite: 'OPENBAO_AUTH=kubernetes, the default',
};

const openBaoLoginRelations = (readFile: ReadFile): readonly Relation[] => [
  ...exactlyWith('OPENBAO_ROLE', kubernetesLogin),
  refusedWithout('OPENBAO_AUTH_MOUNT', kubernetesLogin),
  refusedWithout('OPENBAO_SERVICE_ACCOUNT_TOKEN_FILE', kubernetesLogin),
  {
    variable: 'OPENBAO_SERVICE_ACCOUNT_TOKEN_FILE',
    reads: ['OPENBAO_AUTH'],
    holds: (env) =>
      !kubernetesLogin.holds(env) ||
      env.OPENBAO_SERVICE_ACCOUNT_TOKEN_FILE !== undefined ||
      fileAt(openBaoDefaults.serviceAccountTokenFile, readFile, token).fault === undefined,
    fault: `is not given, and ${openBaoDefaults.serviceAccountTokenFile}, its default, does not hold a token: mount a projected service account token there`,
  },
  ...secretWith('OPENBAO_TOKEN', tokenLogin),
];
