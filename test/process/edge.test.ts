import assert from 'node:assert/strict';
import { Agent, request } from 'node:https';
import { after, before, test } from 'node:test';
import { connect } from 'node:tls';

import { startIssuer, type Issuer } from '../http/issuer.ts';
import type { Certificate } from '../world/servers/pki.ts';
import { waitFor } from '../world/servers/wait-for.ts';
import { startHeldKubernetes } from './held-kubernetes.ts';
import { instanceRequest, urlsOf } from './hook-requests.ts';
import { mountSecret, type MountedSecret } from './mounted-secret.ts';
import { startOperator, workplace, type OperatorProcess } from './operator-process.ts';

const old = 'canary-old-0123456789abcdef01234567';
const young = 'canary-new-0123456789abcdef01234567';

let issuer: Issuer;
let first: Certificate;
let second: Certificate;
before(async () => {
  issuer = await startIssuer();
  [first, second] = [await issuer.issue('first'), await issuer.issue('second')];
});
after(() => issuer[Symbol.asyncDispose]());

/** The operator with TLS and a token, on a Kubernetes API that answers nothing until it is let. */
async function edge(more: Readonly<Record<string, string>> = {}) {
  const stack = new AsyncDisposableStack();
  try {
    const kubernetes = stack.use(await startHeldKubernetes());
    const place = stack.use(await workplace(kubernetes.url));
    const secret = stack.use(await mountSecret(filesOf(first, old)));
    const operator = stack.use(startOperator({ ...place.env, ...hookEnv(secret), ...more }));
    const { url, probes } = await urlsOf(operator);
    const disposal = { [Symbol.asyncDispose]: () => stack.disposeAsync() };
    return { kubernetes, secret, operator, url, probes, ...disposal };
  } catch (error) {
    await stack.disposeAsync();
    throw error;
  }
}

const hookEnv = (secret: MountedSecret) => ({
  HOOK_TLS: 'on',
  HOOK_TLS_CERT_FILE: secret.path('tls.crt'),
  HOOK_TLS_KEY_FILE: secret.path('tls.key'),
  HOOK_AUTHENTICATION: 'token',
  HOOK_TOKEN_FILE: secret.path('token'),
});

const filesOf = ({ cert, key }: Pick<Certificate, 'cert' | 'key'>, token: string) => ({
  'tls.crt': cert,
  'tls.key': key,
  token,
});

interface Answer {
  readonly status: number;
  readonly connection: string | undefined;
}

/** One hook request, on a connection of its own unless an agent keeps some. */
const post = (url: string, token: string, agent?: Agent): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
    const options = { method: 'POST', headers, ca: issuer.ca, timeout: 15_000, agent: agent ?? false };
    const sent = request(`${url}/instances/sync`, options, (response) => {
      response.resume().once('error', reject);
      response.once('end', () =>
        resolve({ status: response.statusCode ?? 0, connection: response.headers.connection }),
      );
    });
    sent.once('error', reject).end(JSON.stringify(instanceRequest));
  });

/** Whose certificate a new connection sees. */
const shownAt = (url: string): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port: Number(new URL(url).port), ca: issuer.ca });
    socket.once('error', reject).once('secureConnect', () => {
      resolve(socket.getPeerCertificate().subject.CN);
      socket.destroy();
    });
  });

const within = { timeoutMs: 20_000 };
const times = (operator: OperatorProcess, pattern: RegExp) => operator.stdout().match(pattern)?.length ?? 0;

test('a certificate that the kubelet replaces is shown from then on; garbage changes nothing, and a request under way is not cut', async () => {
  await using it = await edge();
  const underWay = post(it.url, old);
  await waitFor('the request to be under way', () => it.kubernetes.held.length > 0);
  assert.equal(await shownAt(it.url), 'first');

  await it.secret.replace(filesOf(second, old));
  await waitFor('the new certificate', async () => (await shownAt(it.url)) === 'second', within);
  it.kubernetes.answer();
  assert.equal((await underWay).status, 200);

  await it.secret.replace(filesOf({ cert: first.cert, key: second.key }, old));
  await it.operator.saw(/"fault":"the private key is not that of the certificate"/);
  await it.secret.replace(filesOf({ cert: 'garbage', key: second.key }, old));
  await it.operator.saw(/"fault":"the certificate cannot be read"/);
  assert.equal(await shownAt(it.url), 'second');

  await it.secret.replace(filesOf(first, old));
  await waitFor(
    'the certificate that is right again',
    async () => (await shownAt(it.url)) === 'first',
    within,
  );
  assert.equal(times(it.operator, /what was there before stays in use/g), 2, 'each once');
  assert.doesNotMatch(it.operator.stdout() + it.operator.stderr(), /PRIVATE KEY|canary|garbage/);
});

test('a token is replaced without a request being refused: old, old and new, new', async () => {
  await using it = await edge();
  const answer = setInterval(it.kubernetes.answer, 20);
  try {
    const statuses = async () => [(await post(it.url, old)).status, (await post(it.url, young)).status];
    assert.deepEqual(await statuses(), [200, 401]);
    await it.secret.replace(filesOf(first, `${old}\n${young}\n`));
    await waitFor('both', async () => String(await statuses()) === '200,200', within);
    await it.secret.replace(filesOf(first, 'short'));
    await it.operator.saw(/"what":"tokens of the hook","fault":"holds a token of fewer than 32 characters/);
    assert.deepEqual(await statuses(), [200, 200]);
    await it.secret.replace(filesOf(first, young));
    await waitFor('the new one', async () => String(await statuses()) === '401,200', within);
    assert.doesNotMatch(it.operator.stdout() + it.operator.stderr(), /canary|short/);
  } finally {
    clearInterval(answer);
  }
});

test('no request is cut while the process is rolled: clients that see its readiness go lose nothing', async () => {
  await using it = await edge({ DRAIN_SECONDS: '5' });
  const answer = setInterval(it.kubernetes.answer, 20);
  const agent = new Agent({ keepAlive: true, ca: issuer.ca });
  const state = { takesMore: true, failed: [] as string[], answers: [] as Answer[] };
  const client = async (keep: Agent | undefined): Promise<void> => {
    while (state.takesMore) {
      const result = await post(it.url, old, keep).catch((error: unknown) => String(error));
      if (typeof result === 'string') state.failed.push(result);
      else state.answers.push(result);
    }
  };
  try {
    const clients = Array.from({ length: 12 }, (_, index) => client(index % 2 === 0 ? agent : undefined));
    await waitFor('some answers', () => state.answers.length > 50, within);
    it.operator.signal('SIGTERM');
    await waitFor('readiness to go', async () => (await fetch(`${it.probes}/readyz`)).status === 503);
    const before = state.answers.length;
    await waitFor('answers while it stops', () => state.answers.length > before + 40, within);
    state.takesMore = false;
    await Promise.all(clients);
    assert.deepEqual(state.failed, []);
    assert.ok(state.answers.every(({ status }) => status === 200 || status === 429));
    assert.equal(state.answers.at(-1)?.connection, 'close');
    assert.deepEqual(await it.operator.ended(), { code: 0, signal: null });
  } finally {
    clearInterval(answer);
    agent.destroy();
  }
});

const fatal: [sentence: string, code: string][] = [
  ['an exception', 'throw Object.assign(new SyntaxError("canary-1"), { config: "canary-2" })'],
  ['a rejection', 'Promise.reject(new SyntaxError("canary-1 postgres://u:canary-2@h/d"))'],
  ['a rejection with something else', 'Promise.reject({ password: "canary-1" })'],
];

for (const [sentence, code] of fatal) {
  test(`${sentence} that nobody catches ends the process with code 1, in one line that is cut down like any`, async () => {
    await using trap = await mountSecret({ 'trap.mjs': trapFor(code) });
    await using it = await edge({ NODE_OPTIONS: `--import=${trap.path('trap.mjs')}` });
    await trap.replace({ 'trap.mjs': '', sprung: '' });
    assert.deepEqual(await it.operator.ended(), { code: 1, signal: null });
    const lines = it.operator.stdout().trimEnd().split('\n');
    assert.equal(lines.filter((line) => line.includes('"level":"fatal"')).length, 1);
    assert.match(
      lines.at(-1) ?? '',
      /"err":\{"name":"(?:SyntaxError|thrown object)".*"msg":"unexpected error"/,
    );
    assert.equal(it.operator.stderr(), '');
    assert.ok(!it.operator.stdout().includes('canary'));
  });
}

/** Code that does this once a file `sprung` is beside it. */
const trapFor = (code: string): string => `
  import { existsSync } from 'node:fs';
  import { join } from 'node:path';
  const folder = process.env.NODE_OPTIONS.slice('--import='.length, -'trap.mjs'.length);
  setInterval(() => { if (existsSync(join(folder, '..data', 'sprung'))) { ${code} } }, 50).unref();
`;
