import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { rootCertificates } from 'node:tls';

import { instances, secrets } from '../world/kubernetes/resources.ts';
import { operatorNamespace } from '../world/names.ts';
import { assertNothingLeaked } from './canaries.ts';
import { type Messages, unusable } from './held-up.ts';
import { untilInstanceReady } from './instances.ts';
import { sql } from './sql.ts';
import { raise, type Stage } from './stage.ts';
import { untilReady } from './tenants.ts';

type Data = Record<string, string>;

interface Case {
  readonly title: string;
  readonly reason: string;
  readonly message: RegExp;
  /** What is wrong with the management Secret, told by what it should be (base64); undefined: it is not there. */
  readonly secret?: (right: Data) => Data | undefined;
  readonly spec?: (ca: string) => Record<string, unknown>;
}

const base64 = (value: string | Buffer): string => Buffer.from(value).toString('base64');
const half = (pem: string): string => pem.slice(0, pem.length / 2);
const bundle = (caBundle: string) => ({ tls: { mode: 'verify-full', caBundle } });
const canary = 'canary-8c1f';

const cases: Readonly<Record<string, Case>> = {
  'pg-missing': {
    title: 'that is missing',
    secret: () => undefined,
    reason: 'ManagementSecretMissing',
    message: /^Secret "pg-missing-login" does not exist .*; create it there/,
  },
  'pg-half': {
    title: 'without a password',
    secret: ({ username = '' }) => ({ username }),
    reason: 'ManagementSecretMissing',
    message: /^Secret "pg-half-login" .* has no key "password"; add it/,
  },
  'pg-newline': {
    title: 'with a newline at the end of the password',
    secret: (right) => ({ ...right, password: base64(`${canary}\n`) }),
    reason: 'ManagementSecretInvalid',
    message: /^key "password" of Secret "pg-newline-login" .* ends in a newline.*; remove it$/,
  },
  'pg-user-newline': {
    title: 'with a newline at the end of the user name',
    secret: (right) => ({ ...right, username: base64('postgres\n') }),
    reason: 'ManagementSecretInvalid',
    message: /^key "username" of Secret "pg-user-newline-login" .* ends in a newline/,
  },
  'pg-binary': {
    title: 'that is not UTF-8',
    secret: (right) => ({ ...right, password: base64(Buffer.from([0xff, 0xfe, 0x41])) }),
    reason: 'ManagementSecretInvalid',
    message: /^key "password" of Secret "pg-binary-login" .* printable ASCII/,
  },
  'pg-empty': {
    title: 'with an empty password',
    secret: (right) => ({ ...right, password: '' }),
    reason: 'ManagementSecretInvalid',
    message: /^key "password" of Secret "pg-empty-login" .* is empty; put the login in$/,
  },
  'pg-wrong': {
    title: 'with the wrong password',
    secret: (right) => ({ ...right, password: base64(canary) }),
    reason: 'AuthenticationFailed',
    message: /refuses user name or password .*; put the right ones into the management Secret$/,
  },
  'pg-nobody': {
    title: 'with a user name that nobody has',
    secret: (right) => ({ ...right, username: base64(canary) }),
    reason: 'AuthenticationFailed',
    message: /refuses user name or password/,
  },
  'pg-ca-text': {
    title: 'and a CA bundle that is not PEM',
    spec: () => bundle('the CA of our company'),
    reason: 'InvalidCABundle',
    message: /spec\.tls\.caBundle.* holds no PEM certificate/,
  },
  'pg-ca-half': {
    title: 'and a CA bundle that is cut off',
    spec: (ca) => bundle(half(ca)),
    reason: 'InvalidCABundle',
    message: /^certificate 1 in .*spec\.tls\.caBundle.* cannot be read/,
  },
  'pg-ca-second': {
    title: 'and a CA bundle that is cut off in its second certificate',
    spec: (ca) => bundle(`${ca}\n${half(ca)}`),
    reason: 'InvalidCABundle',
    message: /^certificate 2 in .* cannot be read; put it there whole/,
  },
  'pg-ca-other': {
    title: 'and a CA bundle of another CA',
    spec: () => bundle(rootCertificates[0] ?? ''),
    reason: 'TLSVerificationFailed',
    message: /^TLS with the server fails: .*; put the CA that issued it into spec\.tls\.caBundle$/,
  },
  'pg-database': {
    title: 'and a management database that does not exist',
    spec: () => ({ managementDatabase: 'registry' }),
    reason: 'ManagementDatabaseMissing',
    message:
      /^database "registry" \(spec\.managementDatabase\) does not exist; .*: create database "registry" owner "/,
  },
};

const names = Object.keys(cases);
const secretOf = (name: string): string => `${name}-login`;

let stage: Stage;
let right: Data;
let messages: Messages;

before(async () => {
  // Each of the Instances has a pool of its own in the end.
  stage = await raise({ postgres: { max_connections: '200' } });
  right = (await stage.kube.get(secrets, 'pg-main-management', operatorNamespace))?.data ?? {};
});
after(() => stage.close());

/** Puts a Secret there whole, as an ExternalSecret of the administrator would. */
async function putSecret(name: string, data: Data): Promise<void> {
  await stage.kube.delete(secrets, name, operatorNamespace);
  const metadata = { name, namespace: operatorNamespace };
  await stage.kube.create(secrets, { apiVersion: 'v1', kind: 'Secret', metadata, data });
}

test('Instances whose login, CA or database is no good say so, and nothing is made for their Tenants', async () => {
  for (const [name, { secret = (data: Data) => data }] of Object.entries(cases)) {
    const data = secret(right);
    if (data !== undefined) await putSecret(secretOf(name), data);
  }
  const bad = Object.entries(cases).map(([name, { spec = () => ({}), reason }]) => ({
    name,
    reason,
    port: stage.world.postgres.port,
    spec: { managementSecretRef: { name: secretOf(name) }, ...spec(stage.world.ca) },
  }));
  messages = await unusable(stage, bad);
});

for (const [name, { title, message }] of Object.entries(cases)) {
  test(`An Instance with a management Secret ${title} says what is wrong, where, and what to do`, () => {
    assert.match(messages[name] ?? '', message);
    assert.doesNotMatch(messages[name] ?? '', /canary/);
  });
}

test('Each of them, and its Tenant, goes on by itself once it is put right', async () => {
  await sql(stage, 'create database registry owner pgtenancy_admin');
  for (const [name, { secret, spec }] of Object.entries(cases)) {
    if (secret !== undefined) await putSecret(secretOf(name), right);
    if (spec?.('')['tls'] !== undefined) {
      await stage.kube.patch(instances, name, undefined, { spec: { tls: { caBundle: stage.world.ca } } });
    }
  }
  await Promise.all(names.map((name) => untilInstanceReady(stage.kube, name)));
  await Promise.all(names.map((name) => untilReady(stage, `for-${name}`)));
});

test('None of this showed a password or a token', async () => {
  await assertNothingLeaked(stage);
  assert.doesNotMatch(stage.world.hook.log(), /canary/);
});
