import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import { createKubernetesLogin } from '../../src/openbao/kubernetes-login.ts';
import { startHttpStub, type StubAnswer } from '../http-stub.ts';
import { troubleOf } from '../trouble-of.ts';
import { exampleCredential, examplePath, passwordCanary, storeAt } from './example.ts';
import { startLoginWorld } from './login-world.ts';

/* Faults of the login that no healthy OpenBao shows on demand. */
const jwt = 'CANARYheader.CANARYbody.CANARYsignature';
const token = 's.CANARYtokenCANARYtoken';
let folder: string;
let tokenFile: string;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'openbao-faults-'));
  tokenFile = join(folder, 'token');
  await writeFile(tokenFile, jwt);
});
after(() => rm(folder, { recursive: true, force: true }));

const loginAt = (address: string, timeoutMs = 4_000) =>
  createKubernetesLogin({ address, role: 'operator', mount: 'kubernetes', tokenFile, timeoutMs });

const auth = { client_token: token, lease_duration: 900, num_uses: 0 };
const loggedIn = { body: { auth } };

/** Answers a login so, and everything else as OpenBao does where nothing is. */
const answering = (answer: StubAnswer | undefined) => (request: IncomingMessage) =>
  request.url?.endsWith('/login') === true ? answer : { status: 404, body: { errors: [] } };

for (const [what, answer, reason, message] of [
  [
    'a redirect',
    { status: 307, body: '', headers: { location: 'http://127.0.0.1:1/' } },
    'OpenBaoError',
    /redirects elsewhere/,
  ],
  [
    'sealed',
    { status: 503, body: { errors: ['Vault is sealed'] } },
    'OpenBaoSealed',
    /is sealed or has no active node; it is tried again$/,
  ],
  [
    'a standby that cannot forward',
    { status: 500, body: { errors: ['local node not active but active cluster node not found'] } },
    'OpenBaoSealed',
    /no active node; it is tried again$/,
  ],
  [
    'not initialized',
    { status: 501, body: { errors: [] } },
    'OpenBaoSealed',
    /is not initialized; it is tried again$/,
  ],
  ['a rate limit', { status: 429, body: { errors: [] } }, 'OpenBaoError', /limits the rate/],
  ['a 502 of a proxy', { status: 502, body: 'bad gateway' }, 'OpenBaoError', /status 502; it is tried again/],
  ['another status', { status: 418, body: '' }, 'OpenBaoError', /status 418; it is tried again/],
  ['a 404', { status: 404, body: { errors: [] } }, 'OpenBaoLoginFailed', /no auth method of type kubernetes/],
  [
    'a 400',
    { status: 400, body: { errors: ['missing jwt'] } },
    'OpenBaoLoginFailed',
    /does not accept the request/,
  ],
  ['no JSON', { body: '<html>' }, 'OpenBaoError', /the answer is not one to a login$/],
  ['no token', { body: { auth: null } }, 'OpenBaoError', /the answer is not one to a login$/],
  [
    'a token that no header can carry',
    { body: { auth: { ...auth, client_token: 'CANARY\r\nx: y' } } },
    'OpenBaoError',
    /not one to a login$/,
  ],
  [
    'a token without an end',
    { body: { auth: { ...auth, lease_duration: 0 } } },
    'OpenBaoLoginFailed',
    /gives tokens that never end; set its token_ttl$/,
  ],
  [
    'a token for three uses',
    { body: { auth: { ...auth, num_uses: 3 } } },
    'OpenBaoLoginFailed',
    /set its token_num_uses to 0$/,
  ],
] as const)
  test(`a login that is answered with ${what} is told, and the call is not made`, async () => {
    await using stub = await startHttpStub(answering(answer));
    const store = storeAt(stub.url, '', { token: loginAt(stub.url) });
    const trouble = await troubleOf(
      store.write(examplePath('x'), exampleCredential(), 0),
      'CANARY',
      passwordCanary,
    );
    assert.deepEqual([trouble.reason, trouble.outcomeUnknown], [reason, false]);
    assert.match(trouble.message, message);
    const calls = stub.seen.filter((line) => !/\/(login|revoke-self)$/.test(line));
    assert.deepEqual(calls, []);
  });

test('a token that is not taken is given back', async () => {
  const given: unknown[] = [];
  await using stub = await startHttpStub((request) => {
    if (request.url?.endsWith('/revoke-self') === true) given.push(request.headers['x-vault-token']);
    return { body: { auth: { ...auth, num_uses: 1 } } };
  });
  await troubleOf(loginAt(stub.url).current());
  for (let tries = 0; given.length === 0 && tries < 100; tries += 1)
    await new Promise((resolve) => setTimeout(resolve, 10));
  assert.deepEqual(given, [token]);
});

test('the login goes to its mount, with role and token in its body, without a token and in the namespace', async () => {
  const seen: unknown[] = [];
  await using stub = await startHttpStub((request, response) => {
    const { 'x-vault-token': shown, 'x-vault-namespace': namespace } = request.headers;
    let body = '';
    request.on('data', (part: Buffer) => (body += part.toString()));
    request.on('end', () => {
      seen.push(request.method, request.url, shown, namespace, JSON.parse(body));
      response.setHeader('content-type', 'application/json').end(JSON.stringify(loggedIn.body));
    });
    return undefined;
  });
  const source = createKubernetesLogin({
    ...{ address: stub.url, namespace: 'team', role: 'operator', mount: 'clusters/one' },
    ...{ tokenFile, timeoutMs: 4_000 },
  });
  assert.equal((await source.current()).reveal(), token);
  assert.deepEqual(seen, [
    'POST',
    '/v1/auth/clusters/one/login',
    undefined,
    'team',
    { role: 'operator', jwt },
  ]);
});

test('a login that hangs is given up in time; who waits for it waits no longer than for a call', async () => {
  await using stub = await startHttpStub(answering(undefined));
  const store = storeAt(stub.url, '', { token: loginAt(stub.url, 3_000), timeoutMs: 400 });
  const start = performance.now();
  const reads = Array.from({ length: 20 }, () => troubleOf(store.read(examplePath('x')), 'CANARY'));
  for (const { reason, message } of await Promise.all(reads))
    assert.deepEqual(
      [reason, message],
      ['OpenBaoUnreachable', 'cannot log in to OpenBao: it did not answer in time'],
    );
  assert.ok(performance.now() - start < 2_000);
  assert.equal(stub.seen.length, 1, 'twenty calls wait for one login');
  const { message } = await troubleOf(loginAt(stub.url, 300).current());
  assert.equal(message, 'cannot reach OpenBao: it did not answer in time; it is tried again');
});

test('a login whose answer is lost is made once more', async () => {
  let cut = true;
  await using stub = await startHttpStub((request) => {
    if (!cut) return loggedIn;
    cut = false;
    request.socket.resetAndDestroy();
    return undefined;
  });
  assert.equal((await loginAt(stub.url).current()).reveal(), token);
  assert.equal(stub.seen.length, 2);
});

test('closing waits no longer than a second for an OpenBao that hangs', async () => {
  await using stub = await startHttpStub((request) =>
    request.url?.endsWith('/login') === true ? loggedIn : undefined,
  );
  const source = loginAt(stub.url);
  await source.current();
  const start = performance.now();
  await source.close();
  assert.ok(performance.now() - start < 2_000);
  assert.ok(stub.seen.includes('POST /v1/auth/token/revoke-self'));
});

test('a sealed OpenBao is told as such by login and call, and works again when it is unsealed', async () => {
  await using world = await startLoginWorld({ mode: 'server' });
  let late = 0;
  const clock = () => performance.now() + late;
  const old = world.operator({ clock });
  const path = examplePath('sealed');
  await old.store.write(path, exampleCredential(), 0);
  await world.bao.seal();
  const fresh = world.operator({ clock });
  for (const { store } of [old, fresh])
    assert.equal((await troubleOf(store.read(path))).reason, 'OpenBaoSealed');
  await world.bao.unseal();
  late = 2_000;
  for (const { store } of [old, fresh]) assert.equal((await store.read(path)).stored.kind, 'live');
});
