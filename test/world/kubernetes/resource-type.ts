import type { KubeObject, Resource } from './client.ts';
import type { FieldError } from './field-error.ts';
import type { Schema } from './structural-schema.ts';

export interface ServedVersion {
  readonly schema: Schema;
  readonly hasStatus: boolean;
}

/** What one kind does beyond what all kinds do. */
export interface Strategy {
  /** Fills in what the server decides; runs after defaulting and before validation. `old` is undefined on create. */
  readonly prepare?: (object: KubeObject, old: KubeObject | undefined) => KubeObject;
  readonly validate?: (object: KubeObject, old: KubeObject | undefined) => FieldError[];
  /** Marks an object that is deleted but not gone yet. */
  readonly markTerminating?: (object: KubeObject) => KubeObject;
}

export interface ResourceType {
  readonly group: string;
  readonly plural: string;
  readonly kind: string;
  readonly listKind: string;
  readonly isNamespaced: boolean;
  readonly nameRule: 'subdomain' | 'label';
  /** `metadata.generation` counts changes outside of metadata and status. */
  readonly hasGeneration: boolean;
  /** PUT without a resourceVersion overwrites. */
  readonly allowsUnconditionalUpdate: boolean;
  /** A body without apiVersion and kind is taken for this kind. */
  readonly defaultsTypeMeta: boolean;
  readonly storageVersion: string;
  readonly versions: Readonly<Record<string, ServedVersion>>;
  readonly strategy: Strategy;
}

export const typeKey = ({ group, plural }: Pick<Resource, 'group' | 'plural'>): string =>
  `${group}/${plural}`;

export const apiVersionOf = (group: string, version: string): string =>
  group === '' ? version : `${group}/${version}`;

/** Every kind that the API serves at this moment. */
export class ResourceTypes {
  readonly #types = new Map<string, ResourceType>();

  register(type: ResourceType): void {
    this.#types.set(typeKey(type), type);
  }

  remove(resource: Pick<Resource, 'group' | 'plural'>): void {
    this.#types.delete(typeKey(resource));
  }

  get(resource: Pick<Resource, 'group' | 'plural'>): ResourceType | undefined {
    return this.#types.get(typeKey(resource));
  }

  /** By what an ownerReference says; any version of the group will do. */
  ofKind(apiVersion: string, kind: string): ResourceType | undefined {
    const slash = apiVersion.indexOf('/');
    const group = slash === -1 ? '' : apiVersion.slice(0, slash);
    return [...this.#types.values()].find((type) => type.group === group && type.kind === kind);
  }
}
