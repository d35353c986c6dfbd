import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { test } from 'node:test';

import { waitFor } from '../world/servers/wait-for.ts';
import { startHeldKubernetes } from './held-kubernetes.ts';
import { instanceRequest, urlsOf } from './hook-requests.ts';
import { mountSecret } from './mounted-secret.ts';
import { startOperator, workplace } from './operator-process.ts';

/** A hook request that makes the operator ask the Kubernetes API, and so lasts as long as that does. */
const syncInstance = (url: string): Promise<Response> =>
  fetch(`${url}/instances/sync`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(instanceRequest),
    signal: AbortSignal.timeout(15_000),
  });

const isReady = (probes: string): Promise<boolean> =>
  fetch(`${probes}/readyz`, { signal: AbortSignal.timeout(2_000) }).then(
    ({ ok }) => ok,
    () => false,
  );

test('a faulty configuration ends the process with code 2 and all faults in one message', async () => {
  await using operator = startOperator({
    PORT: 'canary-port',
    LOG_LEVEL: 'loud',
    OPENBAO_ADDRESS: 'canary://x',
  });
  assert.deepEqual(await operator.ended(), { code: 2, signal: null });
  const lines = operator.stderr().trimEnd().split('\n');
  assert.match(lines[0] ?? '', /^the configuration is not valid .*:$/);
  const named = lines.slice(1).map((line) => line.split(' ')[1]);
  for (const variable of ['PORT', 'LOG_LEVEL', 'INSTALLATION', 'OPENBAO_ADDRESS', 'OPENBAO_ROLE']) {
    assert.ok(named.includes(variable), `${variable} is named`);
  }
  assert.ok(!operator.stderr().includes('canary'), 'no value is repeated');
  assert.equal(operator.stdout(), '');
});

test('a process that was started is ready, and says once where it listens', async () => {
  await using place = await workplace('http://127.0.0.1:9');
  await using operator = startOperator(place.env);
  const { url, probes } = await urlsOf(operator);
  assert.equal(await isReady(probes), true);
  assert.equal((await fetch(`${probes}/healthz`)).status, 200);
  assert.match(await (await fetch(`${probes}/metrics`)).text(), /^pgtenancy_build_info/m);
  for (const path of ['/healthz', '/readyz', '/metrics'])
    assert.equal((await fetch(`${url}${path}`)).status, 404, 'the hook serves hooks only');
  assert.equal((await syncInstance(probes)).status, 404, 'and the probes none');
  assert.equal(operator.stdout().match(/"msg":"listening"/g)?.length, 1);
  assert.ok(!operator.stdout().includes('canary'));
});

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  test(`${signal} at rest ends the process with code 0`, async () => {
    await using place = await workplace('http://127.0.0.1:9');
    await using operator = startOperator(place.env);
    await urlsOf(operator);
    operator.signal(signal);
    assert.deepEqual(await operator.ended(), { code: 0, signal: null });
    assert.equal(operator.stderr(), '');
  });
}

test('on SIGTERM readiness goes first, a request under way is answered, then the process ends with code 0', async () => {
  await using kubernetes = await startHeldKubernetes();
  await using place = await workplace(kubernetes.url);
  await using operator = startOperator(place.env);
  const { url, probes } = await urlsOf(operator);
  const response = syncInstance(url);
  await waitFor('the request to be under way', () => kubernetes.held.length > 0);
  operator.signal('SIGTERM');
  await operator.saw(/"msg":"stopping"/);
  await waitFor('readiness to go', async () => !(await isReady(probes)));
  kubernetes.answer();
  assert.equal((await response).status, 200);
  assert.deepEqual(await operator.ended(), { code: 0, signal: null });
});

test('in the pause after SIGTERM readiness is seen to be gone, and hook requests are still answered', async () => {
  await using kubernetes = await startHeldKubernetes();
  await using place = await workplace(kubernetes.url);
  await using operator = startOperator({ ...place.env, DRAIN_SECONDS: '3' });
  const { url, probes } = await urlsOf(operator);
  operator.signal('SIGTERM');
  const started = performance.now();
  await operator.saw(/"msg":"stopping"/);
  assert.equal((await fetch(`${probes}/readyz`)).status, 503);
  assert.equal((await fetch(`${probes}/healthz`)).status, 200);
  const response = syncInstance(url);
  await waitFor('the request to be under way', () => kubernetes.held.length > 0);
  kubernetes.answer();
  assert.equal((await response).status, 200);
  assert.deepEqual(await operator.ended(), { code: 0, signal: null });
  assert.ok(performance.now() - started > 2_900, 'not before the pause is over');
});

test('on SIGTERM a request that finds no end is answered by its deadline, and does not hold up the end', async () => {
  await using kubernetes = await startHeldKubernetes();
  await using place = await workplace(kubernetes.url);
  await using operator = startOperator(place.env);
  const { url } = await urlsOf(operator);
  const response = syncInstance(url);
  await waitFor('the request to be under way', () => kubernetes.held.length > 0);
  operator.signal('SIGTERM');
  assert.ok([200, 429].includes((await response).status));
  assert.deepEqual(await operator.ended(), { code: 0, signal: null });
});

for (const [sentence, drainSeconds] of [
  ['in the pause', '60'],
  ['with a request under way', '0'],
] as const) {
  test(`a second signal ends the process at once ${sentence}, with code 1`, async () => {
    await using kubernetes = await startHeldKubernetes();
    await using place = await workplace(kubernetes.url);
    await using operator = startOperator({ ...place.env, DRAIN_SECONDS: drainSeconds });
    const { url } = await urlsOf(operator);
    const response = syncInstance(url).catch(() => 'cut');
    await waitFor('the request to be under way', () => kubernetes.held.length > 0);
    operator.signal('SIGTERM');
    await operator.saw(/"msg":"stopping"/);
    operator.signal('SIGINT');
    assert.deepEqual(await operator.ended(), { code: 1, signal: null });
    assert.equal(await response, 'cut');
  });
}

/** Sends SIGTERM when the process writes its first line, before it listens. */
const signalAtStart = `
  import fs from 'node:fs';
  const write = fs.write;
  fs.write = (...all) => {
    if (String(all[1]).includes('"msg":"starting"')) process.kill(process.pid, 'SIGTERM');
    return write(...all);
  };
`;

test('SIGTERM during the start is heard: the process ends with code 0', async () => {
  await using place = await workplace('http://127.0.0.1:9');
  await using trap = await mountSecret({ 'trap.mjs': signalAtStart });
  await using operator = startOperator({
    ...place.env,
    NODE_OPTIONS: `--import=${trap.path('trap.mjs')}`,
  });
  assert.deepEqual(await operator.ended(), { code: 0, signal: null });
  assert.match(operator.stdout(), /"msg":"starting"[^]*"signal":"SIGTERM","msg":"stopping"/);
});

test('a port that is taken ends the process with code 1, in one line that names it', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const address = other.address();
  assert.ok(address !== null && typeof address === 'object');
  await using place = await workplace('http://127.0.0.1:9');
  const taken = { ...place.env, PORT: String(address.port) };
  await using operator = startOperator(taken);
  assert.deepEqual(await operator.ended(), { code: 1, signal: null });
  await using silent = startOperator({ ...taken, LOG_LEVEL: 'silent' });
  assert.deepEqual(await silent.ended(), { code: 1, signal: null });
  assert.match(silent.stderr(), /^cannot start: .*EADDRINUSE/);
  other.close();
  const [starting, line, ...more] = operator.stdout().trimEnd().split('\n');
  assert.match(starting ?? '', /"msg":"starting"/);
  assert.deepEqual(more, []);
  assert.match(
    line ?? '',
    new RegExp(`"level":"fatal".*EADDRINUSE.*127\\.0\\.0\\.1:${address.port}.*"msg":"cannot start"`),
  );
  assert.equal(operator.stderr(), '');
});
