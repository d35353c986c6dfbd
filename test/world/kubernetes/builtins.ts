import { configMaps, events, namespaces, secrets, serviceAccounts } from './builtin-schemas.ts';
import type { KubeObject } from './client.ts';
import { customResourceDefinition } from './custom-resource-definition.ts';
import { invalid, required, tooLong, type FieldError } from './field-error.ts';
import { isObject, sameJson, without } from './json.ts';
import type { ResourceType, Strategy } from './resource-type.ts';
import { badRequest } from './status-error.ts';
import type { Schema } from './structural-schema.ts';

const maximumSecretBytes = 1024 * 1024;

const namespaceStrategy: Strategy = {
  prepare: (object, old) => ({
    ...object,
    metadata: {
      ...object.metadata,
      labels: { ...object.metadata.labels, 'kubernetes.io/metadata.name': object.metadata.name },
    },
    // Only the namespace controller takes `kubernetes` out of it, when the namespace is empty.
    spec: old?.spec ?? { finalizers: ['kubernetes'] },
    status: old === undefined ? { phase: 'Active' } : (object.status ?? {}),
  }),
  markTerminating: (object) => ({ ...object, status: { ...object.status, phase: 'Terminating' } }),
};

const secretStrategy: Strategy = {
  prepare: (object) => {
    const { data = {}, stringData } = object;
    for (const [key, value] of Object.entries(data))
      if (!isBase64(value))
        throw badRequest(
          `Secret in version "v1" cannot be handled as a Secret: illegal base64 data in data.${key}`,
        );
    const plain = isObject(stringData) ? stringData : {};
    const merged = { ...data };
    for (const [key, text] of Object.entries(plain))
      merged[key] = Buffer.from(String(text)).toString('base64');
    const rest = { ...object, ...without(object, 'stringData') };
    delete rest['stringData'];
    return Object.keys(merged).length === 0 ? rest : { ...rest, data: merged };
  },
  validate: (object, old) => [
    ...dataKeyFaults(object),
    ...sizeFaults(object),
    ...typeFaults(object),
    ...immutableFaults(object, old),
    ...(old !== undefined && old['type'] !== object['type']
      ? [invalid('type', object['type'], 'field is immutable')]
      : []),
  ],
};

const isBase64 = (text: string): boolean =>
  /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text);

const dataKeyFaults = ({ data = {} }: KubeObject): FieldError[] =>
  Object.keys(data)
    .filter((key) => !/^[-._a-zA-Z0-9]{1,253}$/.test(key))
    .map((key) =>
      invalid(
        `data[${key}]`,
        key,
        "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
      ),
    );

const sizeFaults = ({ data = {} }: KubeObject): FieldError[] => {
  const size = Object.values(data).reduce((sum, value) => sum + Buffer.byteLength(value, 'base64'), 0);
  return size > maximumSecretBytes ? [tooLong('data', maximumSecretBytes)] : [];
};

/** `kubernetes.io/basic-auth` needs one of its two keys; the other checked types are not used here. */
const typeFaults = ({ data = {}, type }: KubeObject): FieldError[] =>
  type === 'kubernetes.io/basic-auth' && !('username' in data) && !('password' in data)
    ? [required('data[username]'), required('data[password]')]
    : [];

const immutableFaults = (object: KubeObject, old: KubeObject | undefined): FieldError[] => {
  if (old?.['immutable'] !== true) return [];
  const isSame = object['immutable'] === true && sameJson(object.data, old.data);
  return isSame ? [] : [invalid('data', '', 'field is immutable when `immutable` is set')];
};

const eventStrategy: Strategy = {
  validate: ({ metadata, ['involvedObject']: involved }) => {
    const namespace = isObject(involved) ? (involved['namespace'] ?? '') : '';
    // Events about cluster-scoped objects live in `default`.
    return namespace === metadata.namespace || (namespace === '' && metadata.namespace === 'default')
      ? []
      : [invalid('involvedObject.namespace', namespace, 'does not match event.namespace')];
  },
};

const configMapStrategy: Strategy = {
  validate: (object, old) => [...dataKeyFaults(object), ...immutableFaults(object, old)],
};

const builtin = (kind: string, plural: string, schema: Schema, strategy: Strategy): ResourceType => ({
  group: '',
  plural,
  kind,
  listKind: `${kind}List`,
  isNamespaced: kind !== 'Namespace',
  nameRule: kind === 'Namespace' ? 'label' : 'subdomain',
  hasGeneration: false,
  allowsUnconditionalUpdate: true,
  defaultsTypeMeta: true,
  storageVersion: 'v1',
  versions: { v1: { schema, hasStatus: kind === 'Namespace' } },
  strategy,
});

export const builtins: readonly ResourceType[] = [
  builtin('Namespace', 'namespaces', namespaces, namespaceStrategy),
  builtin('Secret', 'secrets', secrets, secretStrategy),
  builtin('ConfigMap', 'configmaps', configMaps, configMapStrategy),
  builtin('Event', 'events', events, eventStrategy),
  builtin('ServiceAccount', 'serviceaccounts', serviceAccounts, {}),
  customResourceDefinition,
];

/** The namespaces that every cluster starts with. */
export const initialNamespaces: readonly string[] = [
  'default',
  'kube-node-lease',
  'kube-public',
  'kube-system',
];
