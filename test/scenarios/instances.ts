import type { KubeClient, KubeObject } from '../world/kubernetes/client.ts';
import { instances } from '../world/kubernetes/resources.ts';
import { recommended } from '../world/servers/management-role.ts';
import { waitFor } from '../world/servers/wait-for.ts';
import { pgHost } from '../world/names.ts';
import { conditionOf } from './conditions.ts';

/** An Instance on the world's PostgreSQL, with the one management Secret and the recommended role. */
export const instance = (name: string, port: number, spec: Record<string, unknown> = {}): KubeObject => ({
  apiVersion: 'pgtenancy.io/v1alpha1',
  kind: 'PostgreSQLInstance',
  metadata: { name },
  spec: {
    host: pgHost,
    hostAddress: '127.0.0.1',
    port,
    managementSecretRef: { name: 'pg-main-management' },
    ...recommended,
    ...spec,
  },
});

/** For an Instance whose login is a superuser, who needs neither group nor database of its own. */
export const asSuperuser = { adminRole: undefined, managementDatabase: 'postgres' } as const;

export const untilInstanceReady = (kube: KubeClient, name: string): Promise<KubeObject> =>
  untilInstance(kube, name, { status: 'True' });

/** Waits for what the condition Ready of an Instance says. */
export const untilInstance = (
  kube: KubeClient,
  name: string,
  wanted: { status: string; reason?: string },
): Promise<KubeObject> =>
  waitFor(
    `Instance ${name} to say ${JSON.stringify(wanted)}`,
    async () => {
      const found = await kube.get(instances, name);
      const ready = conditionOf(found, 'Ready');
      const matches =
        ready?.status === wanted.status && (wanted.reason === undefined || ready.reason === wanted.reason);
      return matches ? found : undefined;
    },
    { timeoutMs: 90_000 },
  );
