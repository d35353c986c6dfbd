import type { KubeObject } from '../kubernetes/client.ts';

/** Where Metacontroller remembers what it applied last. */
export const lastAppliedAnnotation = 'metacontroller.k8s.io/last-applied-configuration';

type JsonObject = Record<string, unknown>;

/** Items of a list are merged, not replaced, when all of them have one of these fields; the first match wins. */
const listKeys = ['containerPort', 'port', 'mountPath', 'name', 'uid', 'ip', 'path'];

/** Fields of `metadata` that belong to the API server: a desired child cannot change them. */
export const systemFields: readonly string[] = [
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'selfLink',
  'managedFields',
];

/** The child with the annotation that remembers `applied`. */
export const withLastApplied = (object: KubeObject, applied: KubeObject): KubeObject => ({
  ...object,
  metadata: {
    ...object.metadata,
    annotations: { ...object.metadata.annotations, [lastAppliedAnnotation]: JSON.stringify(sorted(applied)) },
  },
});

/**
 * What Metacontroller's dynamic apply would write: fields that it applied before and that are no longer desired go,
 * desired fields win, everything else stays. A list without a known key is replaced as a whole, so a field that the
 * API server defaulted inside its items is lost each time and costs a write each time.
 */
export const applyDesired = (observed: KubeObject, desired: KubeObject): KubeObject => {
  const remembered = observed.metadata.annotations?.[lastAppliedAnnotation];
  const lastApplied: unknown =
    remembered === undefined || remembered === '' ? undefined : JSON.parse(remembered);
  const merged = merge(observed, lastApplied, desired) as KubeObject;
  const metadata = revert(merged.metadata, observed.metadata, systemFields);
  const reverted = revert({ ...merged, metadata }, observed, ['status']);
  return withLastApplied(reverted, desired);
};

const revert = <T extends object>(changed: T, original: T, fields: readonly string[]): T => ({
  ...(Object.fromEntries(Object.entries(changed).filter(([key]) => !fields.includes(key))) as T),
  ...(Object.fromEntries(Object.entries(original).filter(([key]) => fields.includes(key))) as Partial<T>),
});

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const merge = (observed: unknown, lastApplied: unknown, desired: unknown): unknown => {
  if (isObject(observed)) {
    if (desired !== null && !isObject(desired)) throw new Error('desired: expecting an object');
    return mergeObject(observed, isObject(lastApplied) ? lastApplied : {}, desired ?? {});
  }
  if (Array.isArray(observed)) {
    if (desired !== null && !Array.isArray(desired)) throw new Error('desired: expecting a list');
    return mergeList(observed, Array.isArray(lastApplied) ? lastApplied : [], desired ?? []);
  }
  return desired;
};

const mergeObject = (observed: JsonObject, lastApplied: JsonObject, desired: JsonObject): JsonObject => ({
  ...Object.fromEntries(
    Object.entries(observed).filter(
      ([key]) => !Object.hasOwn(lastApplied, key) || Object.hasOwn(desired, key),
    ),
  ),
  ...Object.fromEntries(
    Object.entries(desired).map(([key, value]) => [key, merge(observed[key], lastApplied[key], value)]),
  ),
});

const mergeList = (observed: unknown[], lastApplied: unknown[], desired: unknown[]): unknown[] => {
  const all = [...observed, ...lastApplied, ...desired];
  const key = listKeys.find((name) => all.length > 0 && all.every((item) => isObject(item) && name in item));
  if (key === undefined) return desired;
  const byKey = (list: unknown[]): JsonObject =>
    Object.fromEntries(list.filter(isObject).map((item) => [String(item[key]), item]));
  const merged = mergeObject(byKey(observed), byKey(lastApplied), byKey(desired));
  const order = [...Object.keys(byKey(observed)), ...Object.keys(byKey(desired))];
  return [...new Set(order)].filter((name) => name in merged).map((name) => merged[name]);
};

/** Keys in alphabetical order, as Go writes maps: the same child must give the same annotation. */
const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sorted(value[key])]),
  );
};
