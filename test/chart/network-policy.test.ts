import assert from 'node:assert/strict';
import { test } from 'node:test';

import { z } from 'zod';

import { only, render, withValues } from './chart.ts';

/* Who may call the operator, and whom it may call. */

const rule = z.object({
  ports: z.array(z.object({ port: z.union([z.string(), z.number()]), protocol: z.string().optional() })),
  from: z.array(z.unknown()).optional(),
  to: z.array(z.unknown()).optional(),
});

const policyShape = z.object({
  policyTypes: z.array(z.string()),
  ingress: z.array(rule),
  egress: z.array(rule).optional(),
});

const policyOf = async (name: string, ...more: readonly string[]) =>
  policyShape.parse(only(await render(withValues(name, ...more)), 'NetworkPolicy')['spec']);

const namespace = (name: string) => ({
  namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': name } },
});

test('by default the hook is for Metacontroller, metrics are for all, and the way out is free', async () => {
  const policy = await policyOf('minimal', '--set', 'tests.enabled=false');
  assert.deepEqual(policy, {
    policyTypes: ['Ingress'],
    ingress: [
      { from: [namespace('metacontroller')], ports: [{ port: 'hook' }] },
      { ports: [{ port: 'metrics' }] },
    ],
  });
});

test('the hook follows metacontroller.namespace', async () => {
  const { ingress } = await policyOf('minimal', '--set', 'metacontroller.namespace=platform');
  assert.deepEqual(ingress[0]?.from?.[0], namespace('platform'));
});

test('the way out: DNS, the Kubernetes API, OpenBao and PostgreSQL, on their ports', async () => {
  const { egress = [] } = await policyOf('full');
  assert.deepEqual(
    egress.map(({ ports }) => ports.map(({ port, protocol }) => `${port}/${protocol ?? ''}`).join(' ')),
    ['53/UDP 53/TCP', '6443/TCP', '8200/TCP', '5432/TCP 6432/TCP', '4317/TCP'],
  );
  assert.deepEqual(egress[3]?.to, [{ ipBlock: { cidr: '198.51.100.0/24' } }]);
});

test('a list of ports that is empty allows no more than before: it is refused, or the port of OpenBao', async () => {
  const on = ['--set', 'networkPolicy.egress.enabled=true', '--set-json'];
  for (const name of ['dns', 'kubernetesApi', 'postgres'])
    await assert.rejects(
      policyOf('minimal', ...on, `networkPolicy.egress.${name}.ports=[]`),
      new RegExp(`at '/networkPolicy/egress/${name}/ports': minItems: got 0, want 1`),
    );
  const { egress = [] } = await policyOf('minimal', ...on, 'networkPolicy.egress.openbao.ports=[]');
  assert.deepEqual(egress[2], { ports: [{ port: 8200, protocol: 'TCP' }] });
});

test('switched on alone, it lets out by port to any address; the port of OpenBao is that of its address', async () => {
  const on = ['--set', 'networkPolicy.egress.enabled=true'];
  const withPort = (await policyOf('minimal', ...on)).egress ?? [];
  assert.deepEqual(withPort[2], { ports: [{ port: 8200, protocol: 'TCP' }] });
  const withoutPort = (await policyOf('mesh', ...on)).egress ?? [];
  assert.deepEqual(withoutPort[2]?.ports, [{ port: 443, protocol: 'TCP' }]);
  assert.deepEqual(
    withoutPort[1]?.ports.map(({ port }) => port),
    [443, 6443],
  );
});
