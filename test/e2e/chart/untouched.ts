import assert from 'node:assert/strict';

import type { KubeClient, KubeObject } from '../../world/kubernetes/client.ts';
import { externalSecrets, instances, secrets, tenants } from '../../world/kubernetes/resources.ts';
import { waitFor } from '../../world/servers/wait-for.ts';
import type { RunningPod } from '../../control-plane/pod-runner/run-pod.ts';

/** Which version of each object that belongs to a Tenant there is, by kind and name. */
export async function versionsOf(
  kube: KubeClient,
  tenant: string,
): Promise<Readonly<Record<string, string>>> {
  const found = {
    instance: await kube.get(instances, 'pg-main'),
    tenant: await kube.get(tenants, tenant, 'shop'),
    externalSecret: await kube.get(externalSecrets, `${tenant}-postgresql`, 'shop'),
    secret: await kube.get(secrets, `${tenant}-postgresql`, 'shop'),
  };
  return Object.fromEntries(Object.entries(found).map(([kind, object]) => [kind, versionOf(kind, object)]));
}

const versionOf = (kind: string, object: KubeObject | undefined): string => {
  if (object === undefined) throw new Error(`there is no ${kind}`);
  return `${object.metadata.uid ?? ''} ${object.metadata.resourceVersion ?? ''}`;
};

/** Waits until the operator was called about Tenants and Instances again, and requires that it did nothing. */
export async function requireIdleCalls({ hook }: RunningPod, atLeast = 3): Promise<void> {
  for (const route of ['/tenants/sync', '/instances/sync'])
    await waitFor(
      `${atLeast} calls of ${route}`,
      async () => (await answeredCalls(hook.metricsUrl, route)) >= atLeast,
      { timeoutMs: 40_000, everyMs: 100 },
    );
  assert.doesNotMatch(hook.log(), /"step taken"/);
}

async function answeredCalls(metricsUrl: string, route: string): Promise<number> {
  const text = await (await fetch(`${metricsUrl}/metrics`)).text();
  const line = new RegExp(
    `^pgtenancy_hook_request_duration_seconds_count\\{.*route="${route}".*\\} (\\d+)$`,
    'm',
  );
  return Number(line.exec(text)?.[1] ?? 0);
}
