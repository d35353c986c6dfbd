import type { KubeObject, ObjectMeta } from './client.ts';
import { withFinalizers } from './deletion.ts';
import type { Endpoint } from './decode.ts';
import { sameJson, without } from './json.ts';

/** Metadata that no client can change. */
const serverOwned = [
  'namespace',
  'uid',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'generation',
  'generateName',
  'resourceVersion',
  'managedFields',
];

export const hasStatusEndpoint = ({ type, version }: Endpoint): boolean =>
  type.versions[version]?.hasStatus === true;

export function withStatus(object: KubeObject, status: KubeObject['status']): KubeObject {
  const copy = { ...object };
  if (status === undefined) delete copy.status;
  else copy.status = status;
  return copy;
}

/** Content as given; the server's own metadata stays, and so does a status that has its own endpoint. */
export function withContent(old: KubeObject, decoded: KubeObject, endpoint: Endpoint): KubeObject {
  const kept = serverOwned.flatMap((key) =>
    old.metadata[key] === undefined ? [] : [[key, old.metadata[key]]],
  );
  const metadata = {
    ...without(decoded.metadata, ...serverOwned),
    ...Object.fromEntries(kept),
  } as ObjectMeta;
  const composed = withFinalizers({ ...decoded, metadata }, metadata.finalizers ?? []);
  return hasStatusEndpoint(endpoint) ? withStatus(composed, old.status) : composed;
}

/** Counts a change of content; metadata is none, nor is a status that has its own endpoint. */
export function withGeneration(object: KubeObject, old: KubeObject, endpoint: Endpoint): KubeObject {
  if (!endpoint.type.hasGeneration) return object;
  const ignored = hasStatusEndpoint(endpoint) ? ['metadata', 'status'] : ['metadata'];
  if (sameJson(without(object, ...ignored), without(old, ...ignored))) return object;
  return { ...object, metadata: { ...object.metadata, generation: (old.metadata.generation ?? 0) + 1 } };
}

/** Whether a write would change nothing: then it keeps the resourceVersion and nobody is told. */
export const isNoOp = (object: KubeObject, old: KubeObject): boolean =>
  sameJson(comparable(object), comparable(old));

const comparable = (object: KubeObject): unknown => ({
  ...object,
  metadata: Object.fromEntries(
    Object.entries(object.metadata).filter(
      ([key, value]) => key !== 'managedFields' && key !== 'resourceVersion' && !isEmpty(value),
    ),
  ),
});

/** `labels: {}` and no labels are the same to the API. */
const isEmpty = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0;
