import type { PostgreSQLInstance } from '../api/instance.ts';
import { known, type Fact } from '../domain/fact.ts';
import type { InstanceLookup } from '../domain/facts.ts';
import { attempt } from './attempt.ts';
import type { Context } from './context.ts';
import { certificatesOf, serverOf } from './target.ts';
import type { Server } from './ports.ts';
import { endpointOf } from './wish.ts';
import { servesNamespace } from './namespaces.ts';

export interface InstanceOf {
  readonly instance: Fact<InstanceLookup>;
  readonly namespaceAllowed: Fact<boolean>;
  /** Unknown with the reason when there is no Instance, no management Secret, or no Kubernetes API. */
  readonly server: Fact<Server | undefined>;
}

/** The Instance that a Tenant names, always read live: a forged request cannot make us dial a server of its choice. */
export async function observeInstanceOf(
  context: Context,
  name: string,
  namespace: string,
): Promise<InstanceOf> {
  const found = await attempt(() => context.kubernetes.instance(name));
  if (!found.known) return { instance: found, namespaceAllowed: found, server: found };
  const object = found.value;
  if (object === undefined) {
    return { instance: known({ kind: 'absent' }), namespaceAllowed: known(true), server: known(undefined) };
  }
  const [namespaceAllowed, reached] = await Promise.all([
    attempt(() => servesNamespace(context.kubernetes, object, namespace)),
    attempt(() => serverOf(context, object)),
  ]);
  const username = reached.known ? reached.value.username : undefined;
  return {
    instance: known(lookupOf(context, object, username)),
    namespaceAllowed,
    server: reached.known ? known(reached.value.server) : reached,
  };
}

function lookupOf(
  context: Context,
  object: PostgreSQLInstance,
  username: string | undefined,
): InstanceLookup {
  const { metadata, spec, status } = object;
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  return {
    kind: 'found',
    uid: metadata.uid,
    name: metadata.name,
    ready: ready?.status === 'True',
    readiness: ready === undefined ? 'no status yet' : ready.reason,
    terminating: metadata.deletionTimestamp !== undefined,
    endpoint: endpointOf(spec),
    sslmode: spec.tls.mode,
    certificates: certificatesOf(context, spec) ?? '',
    reserved: [spec.managementDatabase, spec.adminRole, username].filter((name) => name !== undefined),
    systemIdentifier: status?.systemIdentifier ?? '',
  };
}
