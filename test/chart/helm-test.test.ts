import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';

import { z } from 'zod';

import { ciValues, only, release, render, withValues } from './chart.ts';
import { generatedTls } from './generated-tls.ts';
import { podShape } from './pod.ts';

/* The Pod of `helm test`: admitted where the operator is, and a check that can fail. */

const testShape = podShape.extend({ restartPolicy: z.literal('Never') });

const testPodName = `${release.fullname}-test`;

for (const name of (await ciValues()).keys())
  test(`ci/${name}: the Pod of helm test is as restricted as the operator's, and goes away`, async () => {
    const objects = await render(withValues(name));
    const pods = objects.filter(({ kind }) => kind === 'Pod');
    if (name === 'no-crds' || name === 'hand-install') {
      assert.deepEqual(pods, []);
      return;
    }
    const pod = only(objects, 'Pod');
    assert.equal(testShape.parse(pod['spec']).containers[0].args?.[0], '/checks/check.mjs');
    assert.equal(pod.metadata.annotations['helm.sh/hook'], 'test');
    assert.match(pod.metadata.annotations['helm.sh/hook-delete-policy'] ?? '', /hook-succeeded/);
    const selector = (only(objects, 'Service')['spec'] as { selector: Record<string, string> }).selector;
    assert.ok(Object.entries(selector).some(([label, value]) => pod.metadata.labels[label] !== value));
  });

async function listening(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** Runs the check of the chart against two servers: `ready` is what /readyz answers, `ca` what the hook is verified with. */
async function check({ ready, foreignCa = false }: { ready: number; foreignCa?: boolean }) {
  const objects = await render(withValues('full'));
  const data = z
    .object({ 'check.mjs': z.string(), 'ca.crt': z.string() })
    .parse(only(objects, 'ConfigMap', testPodName)['data']);
  const { cert, key } = generatedTls(foreignCa ? await render(withValues('full')) : objects);
  const hook = createHttpsServer({ cert, key }, (_request, response) => response.writeHead(405).end());
  const probes = createHttpServer((_request, response) => response.writeHead(ready).end());
  const folder = await mkdtemp(join(tmpdir(), 'helm-test-'));
  try {
    for (const [name, content] of Object.entries(data)) await writeFile(join(folder, name), content);
    const env = {
      READY_URL: `http://127.0.0.1:${await listening(probes)}/readyz`,
      HOOK_URL: `https://127.0.0.1:${await listening(hook)}/tenants/sync`,
      CA_FILE: join(folder, 'ca.crt'),
      ATTEMPTS: '2',
    };
    const child = spawn(process.execPath, [join(folder, 'check.mjs')], { env, timeout: 30_000 });
    const [said, closed] = await Promise.all([text(child.stdout), once(child, 'close')]);
    return { said, code: closed[0] as number | null };
  } finally {
    hook.close();
    probes.close();
    await rm(folder, { recursive: true, force: true });
  }
}

test('helm test passes where the operator is ready and the hook has the certificate of the release', async () => {
  const { said, code } = await check({ ready: 200 });
  assert.equal(code, 0, said);
  assert.deepEqual(
    said.split('\n').map((line) => line.split(' (')[0]),
    ['ok: the operator is ready', 'ok: the hook answers', ''],
  );
});

test('helm test fails where the operator is not ready', async () => {
  const { said, code } = await check({ ready: 503 });
  assert.equal(code, 1);
  assert.match(said, /FAILED: the operator is ready \(http:.*\): status 503 in place of 200/);
});

test('helm test fails where the certificate is not of the CA in the controllers', async () => {
  const { said, code } = await check({ ready: 200, foreignCa: true });
  assert.equal(code, 1);
  assert.match(said, /FAILED: the hook answers \(https:.*\): .*(certificate|signature)/);
});
