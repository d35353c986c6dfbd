import type { KubeObject } from './client.ts';
import { isObject } from './json.ts';
import type { ResourceType, ServedVersion } from './resource-type.ts';
import type { Schema } from './structural-schema.ts';

/** Holds a deleted CRD until its custom resources are gone. */
export const cleanupFinalizer = 'customresourcecleanup.apiextensions.k8s.io';

interface DefinedVersion {
  readonly name: string;
  readonly served?: boolean;
  readonly storage?: boolean;
  readonly schema?: { readonly openAPIV3Schema?: Schema };
  readonly subresources?: { readonly status?: unknown };
}

interface DefinitionSpec {
  readonly group: string;
  readonly scope: string;
  readonly names: { readonly plural: string; readonly kind: string; readonly listKind?: string };
  readonly versions: readonly DefinedVersion[];
}

/** The resource that a CustomResourceDefinition describes. The definition must have passed `crdFaults`. */
export function readDefinition(crd: KubeObject): ResourceType {
  const spec = crd.spec as unknown as DefinitionSpec;
  const versions = spec.versions.filter(({ served }) => served === true).map(servedVersion);
  return {
    group: spec.group,
    plural: spec.names.plural,
    kind: spec.names.kind,
    listKind: spec.names.listKind ?? `${spec.names.kind}List`,
    isNamespaced: spec.scope === 'Namespaced',
    nameRule: 'subdomain',
    hasGeneration: true,
    allowsUnconditionalUpdate: false,
    defaultsTypeMeta: false,
    storageVersion: spec.versions.find(({ storage }) => storage === true)?.name ?? '',
    versions: Object.fromEntries(versions),
    strategy: {},
  };
}

const servedVersion = (version: DefinedVersion): [string, ServedVersion] => [
  version.name,
  {
    schema: version.schema?.openAPIV3Schema ?? { type: 'object' },
    hasStatus: isObject(version.subresources?.status),
  },
];
