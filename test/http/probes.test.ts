import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { test, type TestContext } from 'node:test';

import { Trouble } from '../../src/errors.ts';
import { createProbes } from '../../src/http/probes.ts';
import { createLogger } from '../../src/log/logger.ts';
import { answerOf, gone } from './listening-app.ts';
import { bodyFor, hooks, routeThat, trialApp } from './trial-app.ts';

test('/healthz answers while the process lives, also while it is stopping', async () => {
  for (const ready of [true, false]) {
    const response = await trialApp({ ready: () => ready }).probes.inject('/healthz');
    assert.deepEqual([response.statusCode, response.json()], [200, { status: 'ok' }]);
  }
});

test('/readyz says when the operator takes no more requests', async () => {
  let ready = true;
  const { probes } = trialApp({ ready: () => ready });
  assert.equal((await probes.inject('/readyz')).statusCode, 200);
  ready = false;
  const response = await probes.inject('/readyz');
  assert.deepEqual([response.statusCode, response.json()], [503, { error: 'the operator is stopping' }]);
});

test('/metrics counts requests by route and code', async () => {
  const { probes, post, world } = trialApp();
  for (const path of hooks) await post(path, bodyFor(world, path));
  await post('/tenants/sync', '{');
  const response = await probes.inject('/metrics');
  assert.equal(response.statusCode, 200);
  assert.match(String(response.headers['content-type']), /^text\/plain; version=/);
  assert.match(response.body, /request_duration_seconds_count\{route="\/tenants\/customize",code="200"\} 1/);
  assert.match(response.body, /request_duration_seconds_count\{route="\/tenants\/sync",code="400"\} 1/);
  assert.match(response.body, /^process_cpu_seconds_total /m);
});

test('all that ask for /metrics at once get one rendering', async () => {
  const { metrics } = trialApp();
  let rendered = 0;
  const probes = createProbes({
    metrics: { ...metrics, render: () => Promise.resolve(`${(rendered += 1)}`) },
    logger: createLogger('fatal'),
    ready: () => true,
  });
  const answers = await Promise.all(Array.from({ length: 10 }, () => probes.inject('/metrics')));
  assert.ok(answers.every(({ body }) => body === '1'));
});

test('labels of metrics are bounded, whatever is asked for', async () => {
  const { app, probes, post } = trialApp({
    routes: routeThat(() => Promise.reject(new Trouble('Busy', 'canary'))),
  });
  const urls = Array.from({ length: 30 }, (_, index) => `/canary-${index}?x=canary`);
  for (const url of urls) await app.inject({ method: 'GET', url });
  await post('/tenants/sync', {});
  const { body } = await probes.inject('/metrics');
  assert.ok(!body.includes('canary'));
  const routes = new Set([...body.matchAll(/route="([^"]*)"/g)].map(([, route]) => route));
  const hooks = [
    'instances/finalize',
    'instances/sync',
    'tenants/customize',
    'tenants/finalize',
    'tenants/sync',
  ];
  assert.deepEqual([...routes].sort(), [...hooks.map((hook) => `/${hook}`), 'other']);
});

test('acts are counted by step and outcome, never by whom they were for', async () => {
  const { probes, metrics } = trialApp();
  metrics.acted({ step: 'CreateRole', outcome: 'ok', milliseconds: 3 });
  metrics.acted({ step: 'CreateRole', outcome: 'ok', milliseconds: 3 });
  metrics.acted({ step: 'CreateRole', outcome: 'ServerError', milliseconds: 3 });
  const { body } = await probes.inject('/metrics');
  assert.match(body, /^pgtenancy_acts_total\{step="CreateRole",outcome="ok"\} 2$/m);
  assert.match(body, /^pgtenancy_acts_total\{step="CreateRole",outcome="ServerError"\} 1$/m);
  assert.ok(!body.includes('canary'));
});

test('two operators in one process keep their own metrics', async () => {
  const [one, other] = [trialApp(), trialApp()];
  await one.post('/tenants/sync', '{');
  const refused = /route="\/tenants\/sync",code="400"/;
  assert.match((await one.probes.inject('/metrics')).body, refused);
  assert.doesNotMatch((await other.probes.inject('/metrics')).body, refused);
});

test('the probes take no hook, no other method, and repeat nothing', async () => {
  const { probes } = trialApp();
  const canary = 'canary-9c1e';
  for (const url of [...hooks, `/${canary}`, `/%zz${canary}`, '/metrics/']) {
    for (const method of ['GET', 'POST'] as const) {
      const response = await probes.inject({ method, url, headers: { [canary]: canary } });
      assert.deepEqual([response.statusCode, response.body], [404, '{"error":"no such path"}'], url);
      assert.ok(!JSON.stringify(response.headers).includes(canary));
    }
  }
});

/** Probes that listen, and connections to them. */
async function listeningProbes(t: TestContext) {
  const { probes } = trialApp();
  const sockets: Socket[] = [];
  t.after(async () => {
    for (const socket of sockets) socket.destroy();
    await probes.close();
  });
  await probes.listen({ host: '127.0.0.1', port: 0 });
  const { port } = probes.server.address() as AddressInfo;
  return async (text: string): Promise<Socket> => {
    const socket = connect(port, '127.0.0.1')
      .setEncoding('utf8')
      .on('error', () => undefined);
    sockets.push(socket);
    await once(socket, 'connect');
    socket.write(text);
    return socket;
  };
}

const probe = 'GET /healthz HTTP/1.1\r\nhost: operator\r\n';

test('nobody can keep the kubelet from its probe: 32 connections, and the oldest idle one goes', async (t) => {
  const send = await listeningProbes(t);
  const silent: Socket[] = [];
  for (let index = 0; index < 40; index += 1) silent.push(await send(index % 2 === 0 ? '' : probe));
  await Promise.all(silent.slice(0, 8).map((socket) => gone(socket)));
  assert.match(await answerOf(await send(`${probe}\r\n`)), /^HTTP\/1\.1 200 /);
});

test('a body that somebody sends to a probe is not waited for', async (t) => {
  const send = await listeningProbes(t);
  const socket = await send(`${probe}content-length: 1000000\r\n\r\n`);
  assert.match(await answerOf(socket), /^HTTP\/1\.1 200 /);
  await gone(socket, 4_000);
});
