import assert from 'node:assert/strict';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { after, before, test } from 'node:test';
import { inspect } from 'node:util';

import { askOpenBao } from '../world/servers/openbao-api.ts';
import { writeRole } from '../world/servers/kubernetes-auth.ts';
import { exampleCredential, examplePath, exampleRecord, passwordCanary } from './example.ts';
import { operatorAccount, startLoginWorld, type LoginWorld } from './login-world.ts';

/* The good path, and tokens that end, against a real OpenBao that asks the stand-in API whose token it is. */
let world: LoginWorld;

before(async () => {
  world = await startLoginWorld();
});
after(() => world[Symbol.asyncDispose]());

/** The state of a token, as root sees it. */
const isAlive = async (token: string): Promise<boolean> => {
  const body = { token };
  const { status } = await askOpenBao(world.bao.root, { method: 'POST', path: 'auth/token/lookup', body });
  return status === 200;
};

const revoke = async (token: string): Promise<void> => {
  await askOpenBao(world.bao.root, { method: 'POST', path: 'auth/token/revoke', body: { token } });
};

/** A clock that the test turns on. */
const clockAt = () => {
  const time = { now: 0 };
  return { time, clock: () => performance.now() + time.now };
};

test('the operator logs in with its service account and does all of its work with that token', async () => {
  const { store, source } = world.operator();
  const path = examplePath('all');
  const before = world.logins();
  await store.write(path, exampleCredential(), 0);
  const { stored } = await store.read(path);
  assert.deepEqual(stored.kind === 'live' && stored.record, exampleRecord);
  await store.write(path, exampleCredential({ rotation: 'next' }), 1);
  await store.delete(path);
  assert.equal(await store.isGone(path), true);
  assert.deepEqual((await store.read(path)).stored, { kind: 'absent' });
  assert.equal(world.logins(), before + 1);
  await source.close();
});

test('thirty calls at once make one login', async () => {
  const { store } = world.operator();
  const before = world.logins();
  const reads = Array.from({ length: 30 }, (_, index) => store.read(examplePath(`thirty-${index}`)));
  assert.ok((await Promise.all(reads)).every(({ stored }) => stored.kind === 'absent'));
  assert.equal(world.logins(), before + 1);
});

test('thirty calls at once with a token that has ended make one login', async () => {
  const { name: serviceAccount, namespace } = operatorAccount;
  const role = { name: 'short', serviceAccount, namespace, policies: [world.kv.operatorPolicy] };
  await writeRole(world.bao, { ...role, ttl: 1 });
  const { store } = world.operator({ role: 'short' });
  await store.read(examplePath('ended'));
  await sleep(1_200);
  await writeRole(world.bao, role);
  const before = world.logins();
  const reads = Array.from({ length: 30 }, () => store.read(examplePath('ended')));
  assert.ok((await Promise.all(reads)).every(({ stored }) => stored.kind === 'absent'));
  assert.equal(world.logins(), before + 1);
});

test('thirty calls at once with a token that was revoked make one login, and all of them succeed', async () => {
  const { time, clock } = clockAt();
  const { store, source } = world.operator({ clock });
  await revoke((await source.current()).reveal());
  time.now += 10_000;
  const before = world.logins();
  const writes = Array.from({ length: 30 }, (_, index) =>
    store.write(examplePath(`revoked-${index}`), exampleCredential(), 0),
  );
  await Promise.all(writes);
  assert.equal(world.logins(), before + 1);
  const { stored } = await store.read(examplePath('revoked-29'));
  assert.equal(stored.kind === 'live' && stored.version, 1);
});

test('a token that works and is revoked again and again is replaced each time at once', async () => {
  const { time, clock } = clockAt();
  const { store, source } = world.operator({ clock });
  const before = world.logins();
  for (let revocation = 0; revocation < 5; revocation += 1) {
    await store.read(examplePath('again'));
    await revoke((await source.current()).reveal());
    time.now += 1_000;
    await assert.doesNotReject(store.read(examplePath('again')));
  }
  assert.equal(world.logins(), before + 6);
});

test('the service account token is read again from its file at each login', async () => {
  const { time, clock } = clockAt();
  const { source } = world.operator({ clock });
  const first = await source.current();
  const token = await readFile(world.tokenFile, 'utf8');
  try {
    await writeFile(`${world.tokenFile}.new`, 'CANARYnotAToken');
    await rename(`${world.tokenFile}.new`, world.tokenFile);
    time.now += 900_000;
    await assert.rejects(source.current(), { reason: 'OpenBaoLoginFailed' });
  } finally {
    await writeFile(world.tokenFile, token);
  }
  time.now += 2_000;
  assert.equal((await source.current()).equals(first), false);
});

test('when two thirds of its life are over a token is replaced, while calls go on with the old one', async () => {
  const { time, clock } = clockAt();
  const { source, store } = world.operator({ clock });
  const first = await source.current();
  time.now += 601_000;
  assert.equal((await source.current()).equals(first), true, 'nobody waits');
  const before = world.logins();
  await store.read(examplePath('refresh'));
  for (let tries = 0; (await source.current()).equals(first); tries += 1) {
    assert.ok(tries < 200, 'the new token came');
    await sleep(10);
  }
  assert.ok(world.logins() <= before + 1);
});

test('closing revokes the token; a second time, or without a token, does no harm', async () => {
  const { source } = world.operator();
  await source.close();
  const token = (await source.current()).reveal();
  assert.equal(await isAlive(token), true);
  await source.close();
  assert.equal(await isAlive(token), false);
  await source.close();
});

test('a policy that lacks a right makes a 403 for each call, and not a login', async () => {
  await askOpenBao(world.bao.root, {
    ...{ method: 'POST', path: 'sys/policies/acl/nothing' },
    body: { policy: 'path "nowhere" { capabilities = ["read"] }' },
  });
  await writeRole(world.bao, {
    ...{ name: 'nothing', serviceAccount: operatorAccount.name, namespace: operatorAccount.namespace },
    policies: ['nothing'],
  });
  const { time, clock } = clockAt();
  const { store } = world.operator({ role: 'nothing', clock });
  const before = world.logins();
  for (let minute = 0; minute < 10; minute += 1) {
    for (let call = 0; call < 5; call += 1) {
      await assert.rejects(store.read(examplePath('denied')), { reason: 'OpenBaoForbidden' });
      await assert.rejects(store.write(examplePath('denied'), exampleCredential(), 0), {
        reason: 'OpenBaoForbidden',
      });
    }
    time.now += 60_000;
  }
  assert.ok(
    world.logins() - before <= 8,
    `${world.logins() - before} logins for 100 refusals in ten minutes`,
  );
});

test('a right that is given later works without a new login', async () => {
  const { store } = world.operator({ role: 'later' });
  const policy = (rights: string) =>
    askOpenBao(world.bao.root, {
      ...{ method: 'POST', path: 'sys/policies/acl/later' },
      body: { policy: `path "pg-tenants/data/prod/*" { capabilities = [${rights}] }` },
    });
  await policy('"create"');
  await writeRole(world.bao, {
    ...{ name: 'later', serviceAccount: operatorAccount.name, namespace: operatorAccount.namespace },
    policies: ['later'],
  });
  await assert.rejects(store.read(examplePath('all')), { reason: 'OpenBaoForbidden' });
  await policy('"create", "read"');
  await assert.doesNotReject(store.read(examplePath('thirty-1')));
});

test('a dev server that restarts has forgotten all tokens: one login, and the work goes on', async () => {
  await using forgetful = await startLoginWorld();
  const { time, clock } = clockAt();
  const { store } = forgetful.operator({ clock });
  const path = examplePath('restart');
  await store.write(path, exampleCredential(), 0);
  await forgetful.bao.stop();
  await assert.rejects(store.read(path), { reason: 'OpenBaoUnreachable' });
  await forgetful.bao.start();
  await forgetful.setUp();
  time.now += 10_000;
  const before = forgetful.logins();
  const reads = await Promise.all(Array.from({ length: 10 }, () => store.read(path)));
  assert.ok(reads.every(({ stored }) => stored.kind === 'absent'));
  assert.equal(forgetful.logins(), before + 1);
});

test('neither the token nor the service account token is in what the source shows of itself', async () => {
  const { source } = world.operator();
  const token = (await source.current()).reveal();
  const shown = `${inspect(source, { depth: null, showHidden: true })} ${JSON.stringify(source)}`;
  for (const secret of [token, await readFile(world.tokenFile, 'utf8'), passwordCanary])
    assert.ok(!shown.includes(secret));
});
