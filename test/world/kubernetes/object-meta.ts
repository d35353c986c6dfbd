import type { KubeObject, ObjectMeta } from './client.ts';
import { forbidden, invalid, required, tooLong, type FieldError } from './field-error.ts';
import { isObject, type JsonObject } from './json.ts';
import { badRequest } from './status-error.ts';

/** What kube-apiserver keeps of `metadata`, and the JSON type of each; the rest is dropped. */
const metaTypes: Readonly<Record<string, string>> = {
  name: 'string',
  generateName: 'string',
  namespace: 'string',
  uid: 'string',
  resourceVersion: 'string',
  generation: 'number',
  creationTimestamp: 'string',
  deletionTimestamp: 'string',
  deletionGracePeriodSeconds: 'number',
  labels: 'string map',
  annotations: 'string map',
  finalizers: 'list',
  ownerReferences: 'list',
  managedFields: 'list',
};

const isStringMap = (value: unknown): boolean =>
  isObject(value) && Object.values(value).every((item) => typeof item === 'string');

const hasMetaType = (value: unknown, type: string): boolean => {
  if (type === 'list') return Array.isArray(value);
  return type === 'string map' ? isStringMap(value) : typeof value === type;
};

/** The known part of `metadata`, nulls dropped; throws 400 where a member has the wrong JSON type. */
export function coerceMeta(raw: unknown, unknownFields: string[]): ObjectMeta {
  if (raw !== undefined && !isObject(raw)) throw badRequest('metadata must be an object');
  const kept: JsonObject = {};
  for (const [key, value] of Object.entries(raw ?? {})) {
    const type = metaTypes[key];
    if (type === undefined) unknownFields.push(`metadata.${key}`);
    else if (value === null) continue;
    else if (hasMetaType(value, type)) kept[key] = value;
    else
      throw badRequest(
        `json: cannot unmarshal into Go struct field ObjectMeta.metadata.${key}: not a ${type}`,
      );
  }
  const name = kept['name'];
  return { ...kept, name: typeof name === 'string' ? name : '' };
}

const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const dnsLabel = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;

const subdomainRule =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const labelRule =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";

type NameRule = 'subdomain' | 'label';

export function nameFaults(name: string, rule: NameRule): FieldError[] {
  const path = 'metadata.name';
  if (name === '') return [required(path, 'name or generateName is required')];
  const maximum = rule === 'label' ? 63 : 253;
  const faults: FieldError[] = [];
  if (!(rule === 'label' ? dnsLabel : subdomain).test(name))
    faults.push(invalid(path, name, rule === 'label' ? labelRule : subdomainRule));
  if (name.length > maximum) faults.push(invalid(path, name, `must be no more than ${maximum} characters`));
  return faults;
}

const qualifiedName = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;
const labelValue = /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/;

function keyFaults(key: string, path: string): FieldError[] {
  const slash = key.indexOf('/');
  const prefix = slash === -1 ? undefined : key.slice(0, slash);
  const name = key.slice(slash + 1);
  const isFine =
    qualifiedName.test(name) && name.length <= 63 && (prefix === undefined || subdomain.test(prefix));
  return isFine
    ? []
    : [invalid(path, key, "name part must consist of at most 63 alphanumeric characters, '-', '_' or '.'")];
}

const labelFaults = ([key, value]: [string, string]): FieldError[] => [
  ...keyFaults(key, 'metadata.labels'),
  ...(value.length > 63 ? [invalid('metadata.labels', value, 'must be no more than 63 bytes')] : []),
  ...(labelValue.test(value)
    ? []
    : [
        invalid(
          'metadata.labels',
          value,
          "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
        ),
      ]),
];

function annotationFaults(annotations: Readonly<Record<string, string>>): FieldError[] {
  const size = Object.entries(annotations).reduce((sum, [key, value]) => sum + key.length + value.length, 0);
  return [
    ...Object.keys(annotations).flatMap((key) => keyFaults(key, 'metadata.annotations')),
    ...(size > 256 * 1024 ? [tooLong('metadata.annotations', 256 * 1024)] : []),
  ];
}

function ownerFaults({ ownerReferences = [] }: ObjectMeta): FieldError[] {
  const path = 'metadata.ownerReferences';
  const members = ['apiVersion', 'kind', 'name', 'uid'] as const;
  const faults = ownerReferences.flatMap((reference, index) =>
    members
      .filter((member) => typeof reference[member] !== 'string' || reference[member] === '')
      .map((member) => invalid(`${path}[${index}].${member}`, '', `${member} must not be empty`)),
  );
  const controllers = ownerReferences.filter(({ controller }) => controller === true);
  if (controllers.length > 1)
    faults.push(
      invalid(
        path,
        ownerReferences,
        `Only one reference can have Controller set to true. Found "true" in references for ${controllers.map(({ name }) => name).join(' and ')}`,
      ),
    );
  return faults;
}

/** While an object is being deleted, finalizers may only be taken away. */
function finalizerFaults({ finalizers = [] }: ObjectMeta, old: ObjectMeta | undefined): FieldError[] {
  if (old?.deletionTimestamp === undefined) return [];
  const added = finalizers.filter((finalizer) => !(old.finalizers ?? []).includes(finalizer));
  if (added.length === 0) return [];
  const list = added.map((name) => JSON.stringify(name)).join(', ');
  return [
    forbidden(
      'metadata.finalizers',
      `no new finalizers can be added if the object is being deleted, found new finalizers []string{${list}}`,
    ),
  ];
}

export function metaFaults(object: KubeObject, old: KubeObject | undefined, rule: NameRule): FieldError[] {
  const { metadata } = object;
  return [
    ...nameFaults(metadata.name, rule),
    ...Object.entries(metadata.labels ?? {}).flatMap(labelFaults),
    ...annotationFaults(metadata.annotations ?? {}),
    ...ownerFaults(metadata),
    ...finalizerFaults(metadata, old?.metadata),
  ];
}
