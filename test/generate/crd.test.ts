import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { parse } from 'yaml';

import { instanceStatusShape } from '../../src/api/instance.ts';
import { tenantStatusShape } from '../../src/api/tenant.ts';
import { crdYaml } from '../../src/generate/crd.ts';
import { instanceKind, tenantKind } from '../../src/generate/kinds.ts';
import { crdFaults } from '../world/kubernetes/crd-checks.ts';
import type { KubeObject } from '../world/kubernetes/client.ts';

interface Node {
  type?: string;
  default?: unknown;
  properties?: Record<string, Node>;
  items?: Node;
  additionalProperties?: Node;
}
interface Crd extends KubeObject {
  spec: { scope: string; names: Record<string, unknown>; versions: [Version] };
}
interface Version extends Record<string, unknown> {
  schema: { openAPIV3Schema: Node };
  additionalPrinterColumns: { name: string; jsonPath: string; priority?: number }[];
}

const forbidden = ['$schema', '$ref', '$defs', 'id', 'const', 'anyOf', 'oneOf', 'allOf', 'not', 'nullable'];

const kinds = [
  { kind: instanceKind, status: Object.keys(instanceStatusShape.shape) },
  { kind: tenantKind, status: Object.keys(tenantStatusShape.shape) },
];

for (const { kind, status } of kinds)
  describe(`the CRD of ${kind.kind}`, () => {
    const crd = parse(crdYaml(kind)) as Crd;
    const [version] = crd.spec.versions;
    const root = version.schema.openAPIV3Schema;
    const nodes = nodesOf(root, '');

    test('is one that an API server takes', () => {
      assert.deepEqual(crdFaults(crd), []);
    });

    test('has a type on every node and no keyword that is not structural', () => {
      assert.ok(nodes.length > 20);
      for (const [path, node] of nodes) {
        assert.ok(node.type !== undefined, `${path} has no type`);
        assert.deepEqual(
          Object.keys(node).filter((key) => forbidden.includes(key)),
          [],
          path,
        );
        assert.notEqual(typeof node.additionalProperties, 'boolean', path);
      }
    });

    test('has every field of the status shape, and no default but that of a status that nobody wrote yet', () => {
      assert.deepEqual(Object.keys(root.properties?.['status']?.properties ?? {}), status);
      const withDefault = nodes.filter(([, node]) => node.default !== undefined).map(([path]) => path);
      assert.ok(withDefault.length > 0);
      assert.deepEqual(
        withDefault.filter((path) => !path.startsWith('.spec.')),
        ['.status'],
      );
      assert.deepEqual(root.properties?.['status']?.default, { observedGeneration: -1 });
    });

    test('requires a spec, serves and stores v1alpha1, and has a status subresource', () => {
      assert.deepEqual((root as Record<string, unknown>)['required'], ['spec']);
      const { name, served, storage, subresources } = version;
      assert.deepEqual(
        { name, served, storage, subresources },
        { name: 'v1alpha1', served: true, storage: true, subresources: { status: {} } },
      );
    });

    test('has no alias and no anchor in its YAML', () => {
      assert.doesNotMatch(crdYaml(kind), /^\s*(-|[\w-]+:) [&*]\w/m);
    });
  });

test('the kinds have the names, scopes and labels that users and tools know them by', () => {
  const [instance, tenant] = [instanceKind, tenantKind].map((kind) => parse(crdYaml(kind)) as Crd);
  assert.equal(instance?.spec.scope, 'Cluster');
  assert.deepEqual(instance.spec.names, {
    kind: 'PostgreSQLInstance',
    listKind: 'PostgreSQLInstanceList',
    plural: 'postgresqlinstances',
    singular: 'postgresqlinstance',
    shortNames: ['pgi'],
    categories: ['pgtenancy'],
  });
  assert.equal(tenant?.spec.scope, 'Namespaced');
  assert.deepEqual(tenant.spec.names, {
    kind: 'PostgreSQLTenant',
    listKind: 'PostgreSQLTenantList',
    plural: 'postgresqltenants',
    singular: 'postgresqltenant',
    shortNames: ['pgt'],
    categories: ['pgtenancy'],
  });
  assert.deepEqual(tenant.metadata.labels, { 'servicebinding.io/provisioned-service': 'true' });
});

test('kubectl shows phase, readiness, why not, and what matters of each kind', () => {
  const shown = (kind: typeof tenantKind): string[] =>
    (parse(crdYaml(kind)) as Crd).spec.versions[0].additionalPrinterColumns.map(
      ({ name, priority }) => `${name}${priority === 1 ? ' (wide)' : ''}`,
    );
  const first = ['Phase', 'Ready', 'Reason'];
  assert.deepEqual(shown(instanceKind), [...first, 'Version', 'Host', 'Age', 'Message (wide)']);
  const tenant = [...first, 'Instance', 'Secret', 'Age', 'Database (wide)', 'Message (wide)'];
  assert.deepEqual(shown(tenantKind), tenant);
});

test('every column shows a field that the schema has', () => {
  for (const { kind } of kinds) {
    const crd = parse(crdYaml(kind)) as Crd;
    const [version] = crd.spec.versions;
    const known = new Set(nodesOf(version.schema.openAPIV3Schema, '').map(([path]) => path));
    for (const { jsonPath } of version.additionalPrinterColumns)
      if (jsonPath !== '.metadata.creationTimestamp')
        assert.ok(known.has(jsonPath.replace(/\[.*\]/, '[]')), jsonPath);
  }
});

function nodesOf(node: Node, path: string): [string, Node][] {
  const { properties = {}, items, additionalProperties } = node;
  return [
    [path, node],
    ...Object.entries(properties).flatMap(([key, property]) => nodesOf(property, `${path}.${key}`)),
    ...(items === undefined ? [] : nodesOf(items, `${path}[]`)),
    ...(additionalProperties === undefined ? [] : nodesOf(additionalProperties, `${path}.*`)),
  ];
}
