import assert from 'node:assert/strict';
import { before, test } from 'node:test';

import { type Env, faultsOf, hookToken, withToken } from './example.ts';
import { issueFiles } from './issued-files.ts';

before(() => issueFiles());

type Case = readonly [sentence: string, env: Env, ...faults: RegExp[]];

const both = 'must not both be given';
const serviceAccountToken = '/var/run/secrets/openbao/token';

const cases: readonly Case[] = [
  [
    'an installation named like the mount',
    { OPENBAO_MOUNT: 'prod' },
    /^OPENBAO_MOUNT must not begin with .* choose another INSTALLATION$/,
  ],
  [
    'an installation named like the first segment of the mount',
    { OPENBAO_MOUNT: 'prod/kv' },
    /^OPENBAO_MOUNT must not begin with/,
  ],
  [
    'OpenBao over https without a CA',
    { OPENBAO_CA_FILE: undefined },
    /^OPENBAO_CA_FILE is required with an https OPENBAO_ADDRESS \(OPENBAO_TRUST_SYSTEM_ROOTS=true is for/,
  ],
  [
    'OpenBao with a CA and the roots of the system',
    { OPENBAO_TRUST_SYSTEM_ROOTS: 'true' },
    /^OPENBAO_CA_FILE must not be given with OPENBAO_TRUST_SYSTEM_ROOTS=true: remove one of the two$/,
  ],
  [
    'OpenBao over http with a CA, where an s was forgotten',
    { OPENBAO_ADDRESS: 'http://openbao:8200' },
    /^OPENBAO_CA_FILE must not be given with an http OPENBAO_ADDRESS/,
  ],
  [
    'the Kubernetes API over https without CA and token',
    { KUBERNETES_CA_FILE: undefined, KUBERNETES_TOKEN_FILE: undefined },
    /^KUBERNETES_CA_FILE is required with an https KUBERNETES_URL, the default$/,
    /^KUBERNETES_TOKEN_FILE is required/,
  ],
  [
    'a hook with TLS, but without certificate and key',
    { HOOK_TLS_CERT_FILE: undefined, HOOK_TLS_KEY_FILE: undefined },
    /^HOOK_TLS_CERT_FILE is required with HOOK_TLS=on, the default$/,
    /^HOOK_TLS_KEY_FILE is required/,
  ],
  ['a certificate without a key', { HOOK_TLS_KEY_FILE: undefined }, /^HOOK_TLS_KEY_FILE is required/],
  [
    'a hook without TLS, but with a certificate and its key',
    { HOOK_TLS: 'off' },
    /^HOOK_TLS_CERT_FILE must not be given with HOOK_TLS=off/,
    /^HOOK_TLS_KEY_FILE must not be given with HOOK_TLS=off/,
  ],
  [
    'a certificate file without PEM',
    { HOOK_TLS_CERT_FILE: '/not-pem' },
    /^HOOK_TLS_CERT_FILE names a file that holds no PEM certificate$/,
  ],
  [
    'a key file that holds the certificate',
    { HOOK_TLS_KEY_FILE: '/tls/tls.crt' },
    /^HOOK_TLS_KEY_FILE names a file that holds no PEM private key/,
  ],
  [
    'a key that belongs to another certificate',
    { HOOK_TLS_KEY_FILE: '/tls/other.key' },
    /^HOOK_TLS_KEY_FILE names a key that cannot be used with HOOK_TLS_CERT_FILE: it is not that of the first/,
  ],
  [
    'certificate and key in one file',
    { HOOK_TLS_CERT_FILE: '/tls/both.pem', HOOK_TLS_KEY_FILE: '/tls/both.pem' },
  ],
  [
    'a hook without a token',
    { HOOK_TOKEN_FILE: undefined },
    /^HOOK_TOKEN or HOOK_TOKEN_FILE is required .*\(HOOK_AUTHENTICATION=none runs without a token\)$/,
  ],
  [
    'a hook with a token, where none is to be asked for',
    { HOOK_AUTHENTICATION: 'none' },
    /^HOOK_TOKEN_FILE must not be given with HOOK_AUTHENTICATION=none/,
  ],
  [
    'a hook token directly and in a file',
    { HOOK_TOKEN: hookToken },
    new RegExp(`^HOOK_TOKEN and .* ${both}`),
  ],
  [
    'a hook token of 31 characters',
    { HOOK_TOKEN_FILE: undefined, HOOK_TOKEN: 'canary'.padEnd(31, 'x') },
    /^HOOK_TOKEN holds a token of fewer than 32 characters, which could be guessed$/,
  ],
  [
    'a file with a short hook token',
    { HOOK_TOKEN_FILE: '/hook/short-token' },
    /^HOOK_TOKEN_FILE names a file that holds a token of fewer than 32 characters/,
  ],
  [
    'three hook tokens',
    { HOOK_TOKEN_FILE: '/hook/three-tokens' },
    /^HOOK_TOKEN_FILE .* more than two tokens/,
  ],
  [
    'the same hook token twice',
    { HOOK_TOKEN_FILE: '/hook/same-token' },
    /^HOOK_TOKEN_FILE names a file that holds the same token twice/,
  ],
  [
    'a hook token of few characters, again and again',
    { HOOK_TOKEN_FILE: '/hook/poor-token' },
    /^HOOK_TOKEN_FILE names a file that holds a token that repeats a few characters/,
  ],
  [
    'tokens with white space and a byte order mark around them',
    {
      KUBERNETES_TOKEN_FILE: '/marked-token',
      OPENBAO_SERVICE_ACCOUNT_TOKEN_FILE: '/marked-token',
    },
  ],
  [
    'OpenBao over http with the roots of the system',
    {
      OPENBAO_ADDRESS: 'http://openbao:8200',
      OPENBAO_CA_FILE: undefined,
      OPENBAO_TRUST_SYSTEM_ROOTS: 'true',
    },
    /^OPENBAO_TRUST_SYSTEM_ROOTS must not be true with an http OPENBAO_ADDRESS/,
  ],
  [
    'an http OPENBAO_ADDRESS in capitals is one as well',
    { OPENBAO_ADDRESS: 'HTTP://OPENBAO:8200' },
    /^OPENBAO_CA_FILE must not be given with an http OPENBAO_ADDRESS/,
  ],
  [
    'a control character in a hook token',
    { HOOK_TOKEN_FILE: '/hook/broken-token' },
    /^HOOK_TOKEN_FILE names a file that holds characters that no token has/,
  ],
  [
    'a login at OpenBao without a role',
    { OPENBAO_ROLE: undefined },
    /^OPENBAO_ROLE is required with OPENBAO_AUTH=kubernetes, the default$/,
  ],
  [
    'a login at OpenBao with a token and a role',
    { OPENBAO_AUTH: 'token', OPENBAO_TOKEN_FILE: '/openbao/token', OPENBAO_AUTH_MOUNT: 'k8s' },
    /^OPENBAO_ROLE must not be given with OPENBAO_AUTH=token/,
    /^OPENBAO_AUTH_MOUNT must not be given with OPENBAO_AUTH=token/,
  ],
  [
    'a login at OpenBao with a service account and a token',
    { OPENBAO_TOKEN: 'canary-token' },
    /^OPENBAO_TOKEN must not be given with OPENBAO_AUTH=kubernetes, the default/,
  ],
  [
    'a token for OpenBao directly and in a file',
    { ...withToken, OPENBAO_TOKEN: 'canary-token', OPENBAO_TOKEN_FILE: '/openbao/token' },
    new RegExp(`^OPENBAO_TOKEN and OPENBAO_TOKEN_FILE ${both}`),
  ],
  [
    'a login at OpenBao with a token that is not there',
    withToken,
    /^OPENBAO_TOKEN or OPENBAO_TOKEN_FILE is required/,
  ],
  [
    'a token for OpenBao with a line break',
    { ...withToken, OPENBAO_TOKEN: 'canary\ntoken' },
    /^OPENBAO_TOKEN must be a token of printable ASCII/,
  ],
  [
    'an address of OpenBao for consumers that is not https',
    { OPENBAO_EXTERNAL_ADDRESS: 'http://bao.example.com' },
    /^OPENBAO_EXTERNAL_ADDRESS must be an https URL without user, path, query, fragment and white space$/,
  ],
  [
    'a path behind it',
    { OPENBAO_EXTERNAL_ADDRESS: 'https://bao.example.com/v1' },
    /^OPENBAO_EXTERNAL_ADDRESS /,
  ],
  ['a query behind it', { OPENBAO_EXTERNAL_ADDRESS: 'https://b?t=canary' }, /^OPENBAO_EXTERNAL_ADDRESS /],
  ['a user in it', { OPENBAO_EXTERNAL_ADDRESS: 'https://root:canary@b' }, /^OPENBAO_EXTERNAL_ADDRESS /],
  ['one port for two servers', { PORT: '9090' }, /^METRICS_PORT must differ from PORT$/],
  [
    'a check interval upside down',
    { CHECK_INTERVAL_SECONDS_MIN: '7200' },
    /^CHECK_INTERVAL_SECONDS_MIN must not be greater than CHECK_INTERVAL_SECONDS_MAX$/,
  ],
  [
    'a relation is checked although other variables are faulty, and left out where it would mislead',
    {
      PORT: 'canary',
      METRICS_PORT: '8080',
      HOOK_TLS: 'canary',
      HOOK_TLS_KEY_FILE: undefined,
      OPENBAO_MOUNT: 'prod',
    },
    /^PORT must be a whole number/,
    /^HOOK_TLS must be on or off$/,
    /^OPENBAO_MOUNT must not begin/,
  ],
  [
    'a name that was misspelt',
    {
      OPENBAO_ROLES: 'canary',
      OPENBAO_NAMESPCE: 'canary',
    },
    /^OPENBAO_ROLES is not known: correct the name, or remove it$/,
    /^OPENBAO_NAMESPCE is not known/,
  ],
  [
    'a name that only we would give',
    { HOOK_CERTIFICATE: '/x', SECRET_STORE_REF: 'x', OPENBAO_SKIP_VERIFY: 'true', HOOK_PORT: '8443' },
    /^HOOK_CERTIFICATE is not known: correct the name, or remove it$/,
    /^SECRET_STORE_REF is not known/,
    /^OPENBAO_SKIP_VERIFY is not known/,
    /^HOOK_PORT is not known/,
  ],
  [
    'names that others give',
    {
      PATH: '/bin',
      HOME: '/',
      HOSTNAME: 'pod',
      NODE_OPTIONS: '',
      TZ: 'UTC',
      KUBERNETES_CLUSTER_DOMAIN: 'cluster.local',
      LOG_LEVELS: 'app=debug',
      INSTALLATIONS: 'x',
    },
  ],
  [
    'a CA bundle with one certificate that cannot be read',
    { OPENBAO_CA_FILE: '/half-broken.pem', POSTGRES_CA_FILE: '/broken.pem', KUBERNETES_CA_FILE: '/not-pem' },
    /^KUBERNETES_CA_FILE names a file that holds no PEM certificate$/,
    /^OPENBAO_CA_FILE names a file that cannot be used: its certificate 2 cannot be read$/,
    /^POSTGRES_CA_FILE names a file that cannot be used: its certificate 1 cannot be read$/,
  ],
];

for (const [sentence, env, ...faults] of cases)
  test(`${sentence}: ${faults.length === 0 ? 'no fault' : `${faults.length} told`}`, () => {
    const found = faultsOf(env);
    assert.equal(found.length, faults.length, found.join('\n'));
    for (const fault of faults)
      assert.ok(
        found.some((line) => fault.test(line)),
        `${String(fault)}\n${found.join('\n')}`,
      );
  });

test('the default file of the service account token is read as well', () => {
  const [fault, ...more] = faultsOf({}, [serviceAccountToken]);
  assert.match(fault ?? '', /^OPENBAO_SERVICE_ACCOUNT_TOKEN_FILE is not given, and .*: mount a projected/);
  assert.deepEqual(more, []);
});

const fileVariables = {
  HOOK_TLS_CERT_FILE: {},
  HOOK_TLS_KEY_FILE: {},
  HOOK_TOKEN_FILE: {},
  KUBERNETES_CA_FILE: {},
  KUBERNETES_TOKEN_FILE: {},
  OPENBAO_CA_FILE: {},
  OPENBAO_SERVICE_ACCOUNT_TOKEN_FILE: {},
  OPENBAO_TOKEN_FILE: withToken,
  POSTGRES_CA_FILE: {},
};

for (const [name, env] of Object.entries(fileVariables))
  for (const [path, fault] of [
    ['/not-there', 'names a file that cannot be read: correct the path, or mount the file'],
    ['/empty', 'names a file that is empty'],
    ['/control-characters', 'names a file that'],
  ] as const)
    test(`${name}=${path} is told by its name`, () => {
      const [found, ...more] = faultsOf({ ...env, [name]: path });
      assert.ok(found?.startsWith(`${name} ${fault}`), found);
      assert.deepEqual(more, []);
    });

for (const [name, value] of [
  ['HOST', 'a b'],
  ['PORT', '0x50'],
  ['PORT', '-1'],
  ['PORT', '80.5'],
  ['METRICS_PORT', '65536'],
  ['LOG_LEVEL', 'loud'],
  ['RESYNC_SECONDS', '0'],
  ['HOOK_TLS', 'true'],
  ['HOOK_AUTHENTICATION', 'basic'],
  ['HOOK_TIMEOUT_SECONDS', '1e3'],
  ['HOOK_TIMEOUT_SECONDS', '14'],
  ['DRAIN_SECONDS', '61'],
  ['INSTALLATION', 'Prod'],
  ['INSTALLATION', 'a/b'],
  ['INSTALLATION', 'a..b'],
  ['OPERATOR_NAMESPACE', 'x'.repeat(64)],
  ['KUBERNETES_URL', 'not a url'],
  ['KUBERNETES_URL', 'https://user:canary@api'],
  ['OPENBAO_ADDRESS', 'openbao:8200'],
  ['OPENBAO_ADDRESS', 'ftp://openbao'],
  ['OPENBAO_ADDRESS', 'https://openbao:8200/v1'],
  ...[
    'https://bao:8200 ',
    ' https://bao:8200',
    'https://bao:8200\n',
    'https://bao:8200/#',
    'https://bao:8200?',
  ].flatMap((odd) =>
    ['OPENBAO_ADDRESS', 'OPENBAO_EXTERNAL_ADDRESS', 'KUBERNETES_URL'].map((name) => [name, odd] as const),
  ),
  ...[
    'https:bao:8200',
    'https:/bao:8200',
    'https:\\\\bao:8200',
    'https://@bao:8200',
    'ht\ttps://bao:8200',
  ].map((odd) => ['OPENBAO_ADDRESS', odd] as const),
  ...['sys', 'auth/kubernetes', 'cubbyhole', 'identity/x'].map((own) => ['OPENBAO_MOUNT', own] as const),
  ['OPENBAO_AUTH_MOUNT', 'auth/kubernetes'],
  ['SECRET_STORE_NAME', 'a..b'],
  ['SECRET_STORE_NAME', 'a.-b'],
  ['OPENBAO_MOUNT', '/kv'],
  ['OPENBAO_MOUNT', 'kv/'],
  ['OPENBAO_MOUNT', 'kv/../sys'],
  ['OPENBAO_NAMESPACE', 'a//b'],
  ['OPENBAO_TRUST_SYSTEM_ROOTS', 'yes'],
  ['OPENBAO_AUTH', 'approle'],
  ['OPENBAO_AUTH_MOUNT', 'auth/'],
  ['OPENBAO_ROLE', 'a/b'],
  ['OPENBAO_SERVICE_ACCOUNT_TOKEN_FILE', '/two-lines'],
  ['SECRET_STORE_KIND', 'Vault'],
  ['SECRET_STORE_NAME', 'Tenants'],
] as const)
  test(`${name}=${value.slice(0, 40)} is refused, by name alone`, () => {
    const [fault = '', ...more] = faultsOf({ [name]: value });
    assert.ok(fault.startsWith(`${name} `), fault);
    assert.ok(value.length < 2 || !fault.includes(value), fault);
    assert.deepEqual(more, []);
  });
