import type { KubeObject } from './client.ts';
import { schemaFaults } from './crd-schema-checks.ts';
import { invalid, required, unsupported, type FieldError } from './field-error.ts';
import { isObject, type JsonObject } from './json.ts';

const approval = 'api-approved.kubernetes.io';

/** Faults for which kube-apiserver refuses a CustomResourceDefinition. */
export function crdFaults(crd: KubeObject): FieldError[] {
  const spec = crd.spec ?? {};
  const names = isObject(spec['names']) ? spec['names'] : {};
  const faults = [
    ...textFaults(spec, 'spec', ['group']),
    ...textFaults(names, 'spec.names', ['plural', 'kind']),
    ...approvalFaults(crd, String(spec['group'])),
    ...versionFaults(spec['versions']),
  ];
  const wanted = `${String(names['plural'])}.${String(spec['group'])}`;
  if (crd.metadata.name !== wanted)
    faults.push(invalid('metadata.name', crd.metadata.name, 'must be spec.names.plural+"."+spec.group'));
  if (!['Cluster', 'Namespaced'].includes(String(spec['scope'])))
    faults.push(unsupported('spec.scope', spec['scope'] ?? '', ['Cluster', 'Namespaced']));
  return faults;
}

const textFaults = (object: JsonObject, path: string, keys: readonly string[]): FieldError[] =>
  keys
    .filter((key) => typeof object[key] !== 'string' || object[key] === '')
    .map((key) => required(`${path}.${key}`));

/** Groups under k8s.io are protected. */
const approvalFaults = ({ metadata }: KubeObject, group: string): FieldError[] =>
  /(^|\.)(k8s|kubernetes)\.io$/.test(group) && metadata.annotations?.[approval] === undefined
    ? [
        required(
          `metadata.annotations[${approval}]`,
          `protected groups must have approval annotation "${approval}"`,
        ),
      ]
    : [];

function versionFaults(versions: unknown): FieldError[] {
  if (!Array.isArray(versions) || versions.length === 0) return [required('spec.versions')];
  const list: readonly unknown[] = versions;
  const stored = list.filter((version) => isObject(version) && version['storage'] === true);
  const faults = list.flatMap((version, index) => oneVersionFaults(version, `spec.versions[${index}]`));
  if (stored.length !== 1)
    faults.push(
      invalid('spec.versions', list.length, 'must have exactly one version marked as storage version'),
    );
  return faults;
}

function oneVersionFaults(version: unknown, path: string): FieldError[] {
  if (!isObject(version)) return [required(path)];
  const schema = isObject(version['schema']) ? version['schema']['openAPIV3Schema'] : undefined;
  const schemaPath = `${path}.schema.openAPIV3Schema`;
  return [
    ...textFaults(version, path, ['name']),
    ...['served', 'storage']
      .filter((key) => typeof version[key] !== 'boolean')
      .map((key) => required(`${path}.${key}`)),
    ...(isObject(schema) ? schemaFaults(schema, schemaPath) : [required(schemaPath, 'schemas are required')]),
  ];
}
