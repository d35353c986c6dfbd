import { isDeepStrictEqual } from 'node:util';

import {
  externalSecretApiVersion,
  type DesiredExternalSecret,
  type ObservedExternalSecret,
} from '../api/external-secret.ts';
import type { Settings, TenantWish } from './facts.ts';

/** Which version of the record the ExternalSecret is pinned to; `createdAt` tells versions apart when numbering restarts. */
export interface Pin {
  readonly version: number;
  readonly createdAt: string;
}

/**
 * The name of ExternalSecret and Secret. Tenants do not choose it: External Secrets takes over, and wipes, any unowned
 * Secret whose name it is given.
 */
export const secretName = (tenantName: string): string => `${tenantName}-postgresql`;

const createdAtAnnotation = 'pgtenancy.io/credential-created';

/**
 * The ExternalSecret as it should be. Every field that the API server would default is written out, and what a newer
 * External Secrets defaults inside `extract` is repeated from the observed object: Metacontroller replaces lists
 * whole, so each sync would otherwise find a difference and send an update.
 */
export function desiredChild(
  wish: Pick<TenantWish, 'name' | 'namespace'>,
  settings: Settings,
  pin: Pin,
  observed: ObservedExternalSecret | null,
): DesiredExternalSecret {
  const name = secretName(wish.name);
  return {
    apiVersion: externalSecretApiVersion,
    kind: 'ExternalSecret',
    metadata: { name, namespace: wish.namespace, labels: managedBy },
    spec: specOf(name, settings, pin, at(observed?.spec, ['dataFrom', '0', 'extract'])),
  };
}

const managedBy = { 'app.kubernetes.io/managed-by': 'postgresql-tenant-operator' };

const specOf = (
  name: string,
  settings: Settings,
  pin: Pin,
  observedExtract: unknown,
): Record<string, unknown> => ({
  refreshPolicy: 'Periodic',
  refreshInterval: '1h0m0s',
  secretStoreRef: { kind: settings.store.kind, name: settings.store.name },
  target: {
    name,
    creationPolicy: 'Owner',
    deletionPolicy: 'Retain',
    immutable: false,
    template: {
      engineVersion: 'v2',
      mergePolicy: 'Merge',
      type: 'servicebinding.io/postgresql',
      metadata: { labels: managedBy, annotations: { [createdAtAnnotation]: pin.createdAt } },
    },
  },
  dataFrom: [
    {
      extract: {
        ...unknownFields(observedExtract),
        key: settings.credentialKey,
        version: String(pin.version),
        conversionStrategy: 'Default',
        decodingStrategy: 'None',
        metadataPolicy: 'None',
      },
    },
  ],
});

/** All but `property`, which would cut the record down to one field. */
const unknownFields = (extract: unknown): Record<string, unknown> =>
  isObject(extract) ? Object.fromEntries(Object.entries(extract).filter(([key]) => key !== 'property')) : {};

/** The pin that an observed ExternalSecret carries; null when it cannot be read. */
export function pinOf(observed: ObservedExternalSecret): Pin | null {
  const version = Number(at(observed.spec, ['dataFrom', '0', 'extract', 'version']));
  const createdAt = at(observed.spec, ['target', 'template', 'metadata', 'annotations', createdAtAnnotation]);
  return Number.isSafeInteger(version) && version > 0 && typeof createdAt === 'string'
    ? { version, createdAt }
    : null;
}

/** Metacontroller ties a child to its parent by this label (`generateSelector`). */
const parentLabel = 'controller-uid';

/** It was this Tenant's, by its label or by the record that it reads, and nobody controls it now. */
export function isOrphaned(tenantUid: string, { metadata, spec }: ObservedExternalSecret): boolean {
  if (metadata.ownerReferences?.some(({ controller }) => controller === true) === true) return false;
  const key = at(spec, ['dataFrom', '0', 'extract', 'key']);
  const readsRecord = typeof key === 'string' && key.endsWith(`/${tenantUid}`);
  return readsRecord || metadata.labels?.[parentLabel] === tenantUid;
}

/** True when the observed object says all that we want it to say. Lists are compared whole, as they are written. */
export const saysAll = (observed: ObservedExternalSecret, desired: DesiredExternalSecret): boolean =>
  includes(observed.spec, desired.spec);

function at(value: unknown, path: readonly string[]): unknown {
  const [head, ...rest] = path;
  if (head === undefined) return value;
  if (Array.isArray(value)) return at(value[Number(head)], rest);
  return isObject(value) ? at(value[head], rest) : undefined;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function includes(observed: unknown, wanted: unknown): boolean {
  if (isObject(wanted)) {
    return (
      isObject(observed) && Object.entries(wanted).every(([key, value]) => includes(observed[key], value))
    );
  }
  return isDeepStrictEqual(observed, wanted);
}
