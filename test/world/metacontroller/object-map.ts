import type { KubeObject } from '../kubernetes/client.ts';

/** Objects by kind, then by name, as hook version v2 writes them: `{"Kind.group/version": {"namespace/name": {...}}}`. */
export type ObjectMap = Record<string, Record<string, KubeObject>>;

/** `Kind.v1` for the core group, else `Kind.group/version`. */
export const kindKey = (apiVersion: string, kind: string): string => `${kind}.${apiVersion}`;

/** `namespace/name`, or the bare name of a cluster-scoped object. */
export const objectKey = ({ metadata }: KubeObject): string =>
  metadata.namespace === undefined || metadata.namespace === ''
    ? metadata.name
    : `${metadata.namespace}/${metadata.name}`;

export const insertObject = (map: ObjectMap, object: KubeObject): void => {
  const group = (map[kindKey(object.apiVersion, object.kind)] ??= {});
  group[objectKey(object)] = object;
};

/** For messages: `Kind namespace/name`. */
export const describeObject = (object: KubeObject): string => `${object.kind} ${objectKey(object)}`;
