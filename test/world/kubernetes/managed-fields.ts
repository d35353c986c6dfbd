import type { KubeObject } from './client.ts';
import { isObject, type JsonObject } from './json.ts';
import { timestamp } from './timestamp.ts';

/** Who writes, and where: the main resource ('') or a subresource. */
export interface Writer {
  /** The first word of the User-Agent, as kube-apiserver names a manager that gives no name. */
  readonly manager: string;
  readonly subresource: string;
}

/** The object with the writer's entry brought up to date; the fields named are only the top-level ones. */
export function withManagedFields(object: KubeObject, writer: Writer): KubeObject {
  const { manager, subresource } = writer;
  const { managedFields } = object.metadata;
  const entries: unknown[] = Array.isArray(managedFields) ? managedFields : [];
  const others = entries.filter(
    (entry) =>
      isObject(entry) && (entry['manager'] !== manager || (entry['subresource'] ?? '') !== subresource),
  );
  const entry = {
    manager,
    operation: 'Update',
    apiVersion: object.apiVersion,
    time: timestamp(),
    fieldsType: 'FieldsV1',
    fieldsV1: topLevelFields(object, subresource),
    ...(subresource === '' ? {} : { subresource }),
  };
  return { ...object, metadata: { ...object.metadata, managedFields: [...others, entry] } };
}

function topLevelFields(object: KubeObject, subresource: string): JsonObject {
  const members =
    subresource === ''
      ? Object.keys(object).filter((key) => !['apiVersion', 'kind', 'metadata', 'status'].includes(key))
      : [subresource];
  return Object.fromEntries(members.map((member) => [`f:${member}`, {}]));
}
