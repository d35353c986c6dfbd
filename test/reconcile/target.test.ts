import assert from 'node:assert/strict';
import { test } from 'node:test';

import { certificatesOf, serverOf } from '../../src/reconcile/target.ts';
import { troubleOf } from '../trouble-of.ts';
import { readyInstance } from './model-state.ts';
import { newWorld } from './points.ts';

const worldWith = (data: Record<string, string> | undefined) => {
  const world = newWorld();
  world.state.kubernetes.managementSecrets = data === undefined ? {} : { 'main-login': data };
  return world;
};

test('an Instance and its management Secret make the target of a server', async () => {
  const world = worldWith({ username: 'operator', password: 'p w~!' });
  const instance = readyInstance({ hostAddress: '192.0.2.1', adminRole: 'admins', maxConnections: 2 });
  await serverOf(world.context, instance);
  const [target] = world.targets;
  assert.ok(target !== undefined);
  const { password, ...rest } = target;
  assert.equal(password.reveal(), 'p w~!');
  assert.deepEqual(rest, {
    ...{
      instanceUid: 'uid-instance',
      instanceName: 'main',
      installation: 'prod',
      host: 'db.example.com',
      hostAddress: '192.0.2.1',
    },
    ...{ port: 5432, managementDatabase: 'postgres', tls: { mode: 'verify-full', ca: 'default CA' } },
    ...{ username: 'operator', adminRole: 'admins', maxConnections: 2 },
  });
});

test('the keys of the management Secret are the ones that the Instance names', async () => {
  const world = worldWith({ user: 'u', pass: 'p', username: 'no', password: 'no' });
  const managementSecretRef = { name: 'main-login', usernameKey: 'user', passwordKey: 'pass' };
  await serverOf(world.context, readyInstance({ managementSecretRef }));
  assert.equal(world.targets[0]?.username, 'u');
  assert.equal(world.targets[0].password.reveal(), 'p');
});

const canary = 'canary-5f3a';

const faults: [
  sentence: string,
  data: Record<string, string> | undefined,
  reason: string,
  message: RegExp,
][] = [
  ['no Secret', undefined, 'ManagementSecretMissing', /Secret "main-login" does not exist/],
  ['no username', { password: canary }, 'ManagementSecretMissing', /has no key "username"/],
  ['no password', { username: 'operator' }, 'ManagementSecretMissing', /has no key "password"/],
  [
    'a newline at the end',
    { username: 'o', password: `${canary}\n` },
    'ManagementSecretInvalid',
    /ends in a newline, .*; remove it$/,
  ],
  [
    'a newline inside',
    { username: 'o', password: `${canary}\nx` },
    'ManagementSecretInvalid',
    /printable ASCII/,
  ],
  [
    'a carriage return',
    { username: 'o', password: `${canary}\r` },
    'ManagementSecretInvalid',
    /printable ASCII/,
  ],
  [
    'a newline in the username',
    { username: `${canary}\n`, password: 'x' },
    'ManagementSecretInvalid',
    /"username"/,
  ],
  ['an umlaut', { username: 'o', password: `${canary}ü` }, 'ManagementSecretInvalid', /printable ASCII/],
  ['nothing', { username: 'o', password: '' }, 'ManagementSecretInvalid', /"password".* is empty/],
  ['too much', { username: 'o', password: canary.repeat(100) }, 'ManagementSecretInvalid', /1 to 1024/],
];

for (const [sentence, data, reason, message] of faults) {
  test(`a management Secret with ${sentence} is refused, and its value is not repeated`, async () => {
    const world = worldWith(data);
    const trouble = await troubleOf(serverOf(world.context, readyInstance()), canary);
    assert.equal(trouble.reason, reason);
    assert.match(trouble.message, message);
    assert.deepEqual(world.targets, []);
  });
}

const bundles: [mode: string, caBundle: string | undefined, expected: string | undefined][] = [
  ['verify-full', undefined, 'default CA'],
  ['verify-full', 'own CA', 'own CA'],
  ['verify-ca', undefined, 'default CA'],
  ['verify-ca', 'own CA', 'own CA'],
  ['require', undefined, undefined],
  ['require', 'own CA', undefined],
  ['disable', 'own CA', undefined],
];

for (const [mode, caBundle, expected] of bundles) {
  test(`mode ${mode} with ${caBundle ?? 'no CA bundle'} verifies with ${expected ?? 'nothing'}`, () => {
    const { spec } = readyInstance({ tls: { mode, caBundle } });
    assert.equal(certificatesOf(newWorld().context, spec), expected);
  });
}
