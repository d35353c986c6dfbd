import type { KubeObject } from './client.ts';
import { crdFaults } from './crd-checks.ts';
import { isObject } from './json.ts';
import { cleanupFinalizer } from './definition.ts';
import type { ResourceType } from './resource-type.ts';
import { timestamp } from './timestamp.ts';

const condition = (type: string, reason: string, message: string) => ({
  type,
  status: 'True',
  lastTransitionTime: timestamp(),
  reason,
  message,
});

/** Runs before validation, so nothing is known of the shape yet. */
const storedVersions = (versions: unknown): unknown[] =>
  (Array.isArray(versions) ? versions : []).flatMap((version: unknown) =>
    isObject(version) && version['storage'] === true ? [version['name']] : [],
  );

/** A new CRD is served from the moment that it is stored, so it is Established at once. */
function prepare(object: KubeObject, old: KubeObject | undefined): KubeObject {
  const spec = object.spec ?? {};
  const names = isObject(spec['names']) ? spec['names'] : {};
  const kind = typeof names['kind'] === 'string' ? names['kind'] : '';
  const filled = {
    ...names,
    singular: names['singular'] ?? kind.toLowerCase(),
    listKind: names['listKind'] ?? `${kind}List`,
  };
  const withSpec = {
    ...object,
    spec: { ...spec, names: filled, conversion: spec['conversion'] ?? { strategy: 'None' } },
  };
  if (old !== undefined) return { ...withSpec, status: { ...old.status, acceptedNames: filled } };
  return {
    ...withSpec,
    metadata: { ...object.metadata, finalizers: [cleanupFinalizer, ...(object.metadata.finalizers ?? [])] },
    status: {
      acceptedNames: filled,
      storedVersions: storedVersions(spec['versions']),
      conditions: [
        condition('NamesAccepted', 'NoConflicts', 'no conflicts found'),
        condition('Established', 'InitialNamesAccepted', 'the initial names have been accepted'),
      ],
    },
  };
}

export const customResourceDefinition: ResourceType = {
  group: 'apiextensions.k8s.io',
  plural: 'customresourcedefinitions',
  kind: 'CustomResourceDefinition',
  listKind: 'CustomResourceDefinitionList',
  isNamespaced: false,
  nameRule: 'subdomain',
  hasGeneration: true,
  allowsUnconditionalUpdate: false,
  defaultsTypeMeta: true,
  storageVersion: 'v1',
  versions: {
    v1: {
      schema: {
        type: 'object',
        properties: {
          spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
          status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        },
        required: ['spec'],
      },
      hasStatus: true,
    },
  },
  strategy: { prepare, validate: crdFaults },
};
