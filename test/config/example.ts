import assert from 'node:assert/strict';

import type { Config } from '../../src/config/config.ts';
import { readConfig } from '../../src/config/read-config.ts';

export type Env = Readonly<Record<string, string | undefined>>;

/** What is given in every example, under whatever the example changes. Undefined: not given after all. */
export const minimal = {
  INSTALLATION: 'prod',
  OPERATOR_NAMESPACE: 'pgtenancy',
  HOOK_TLS_CERT_FILE: '/tls/tls.crt',
  HOOK_TLS_KEY_FILE: '/tls/tls.key',
  HOOK_TOKEN_FILE: '/hook/token',
  KUBERNETES_CA_FILE: '/api/ca.crt',
  KUBERNETES_TOKEN_FILE: '/api/token',
  OPENBAO_ADDRESS: 'https://openbao-active.openbao.svc:8200',
  OPENBAO_CA_FILE: '/openbao/ca.crt',
  OPENBAO_MOUNT: 'pg-tenants',
  OPENBAO_ROLE: 'postgresql-tenant-operator',
  SECRET_STORE_NAME: 'tenants',
};

/** Logs in to OpenBao with a token, once one is given. */
export const withToken = { OPENBAO_AUTH: 'token', OPENBAO_ROLE: undefined };

export const hookToken = 'canary-hook-token-0123456789abcdef';
export const otherHookToken = 'canary-other-token-0123456789abcdef';

/** Every file that the examples name; certificates are put in by the tests that need real ones. */
export const files: Record<string, string> = {
  '/hook/token': `${hookToken}\n`,
  '/hook/two-tokens': `${hookToken}\n${otherHookToken}\n`,
  '/hook/three-tokens': `${hookToken}\n${otherHookToken}\n${otherHookToken}\n`,
  '/hook/short-token': 'canary-short-token\n',
  '/hook/broken-token': `${hookToken}\n${otherHookToken}\u0007\n`,
  '/api/token': 'canary-api-token\n',
  '/var/run/secrets/openbao/token': 'canary-service-account-token',
  '/openbao/token': 'canary-openbao-token\r\n',
  '/hook/same-token': `${hookToken}\n${hookToken}\n`,
  '/hook/poor-token': `${'canary'.repeat(6)}\n`,
  '/marked-token': '\ufeff canary-api-token\r\n',
  '/empty': '\n',
  '/control-characters': 'canary\u0000token\n',
  '/two-lines': 'canary-one\ncanary-two\n',
  '/not-pem': 'hello',
  '/broken.pem': '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n',
};

export const read = (env: Env = {}, without: readonly string[] = []): Config =>
  readConfig({ ...minimal, ...env }, (path) => {
    const text = without.includes(path) ? undefined : files[path];
    if (text === undefined) throw new Error(`ENOENT ${path}`);
    return text;
  });

/** The lines of the message, one for each fault, without the dash; none when the configuration is valid. */
export const faultsOf = (env: Env, without: readonly string[] = []): string[] => {
  try {
    read(env, without);
  } catch (error) {
    assert.ok(error instanceof Error);
    const [heading, ...faults] = error.message.split('\n');
    assert.match(heading!, /^the configuration is not valid/);
    assert.doesNotMatch(error.message, /canary/, 'no value is repeated');
    return faults.map((line) => line.replace(/^- /, ''));
  }
  return [];
};
