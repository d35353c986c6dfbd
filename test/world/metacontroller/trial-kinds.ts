import type { KubeObject, Resource } from '../kubernetes/client.ts';

/*
 * Kinds for the tests of the stand-in alone: a Thing (namespaced parent) has Parts (children) and looks at a Pool
 * (cluster-scoped, related).
 */

const group = 'trial.example.org';

export const things: Resource = { group, version: 'v1', plural: 'things' };
export const parts: Resource = { group, version: 'v1', plural: 'parts' };
export const pools: Resource = { group, version: 'v1', plural: 'pools' };

const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

const crd = (kind: string, scope: string, spec: object = open): KubeObject => {
  const singular = kind.toLowerCase();
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${singular}s.${group}` },
    spec: {
      group,
      scope,
      names: { kind, plural: `${singular}s`, singular, listKind: `${kind}List` },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: { openAPIV3Schema: { type: 'object', properties: { spec, status: open } } },
        },
      ],
    },
  };
};

/** `spec.sources[].mode` is filled in by the API server, as External Secrets' CRD does with `dataFrom[]`. */
const partSpec = {
  type: 'object',
  properties: {
    size: { type: 'integer' },
    colour: { type: 'string' },
    sources: {
      type: 'array',
      items: {
        type: 'object',
        properties: { key: { type: 'string' }, mode: { type: 'string', default: 'Plain' } },
      },
    },
  },
};

export const trialCrds: readonly KubeObject[] = [
  crd('Thing', 'Namespaced'),
  crd('Part', 'Namespaced', partSpec),
  crd('Pool', 'Cluster'),
];

export const thing = (name: string, spec: Record<string, unknown> = {}): KubeObject => ({
  apiVersion: `${group}/v1`,
  kind: 'Thing',
  metadata: { name, namespace: 'team' },
  spec,
});

/** As a hook answers it: without a namespace. */
export const part = (name: string, spec: Record<string, unknown> = {}): KubeObject => ({
  apiVersion: `${group}/v1`,
  kind: 'Part',
  metadata: { name },
  spec,
});

export const pool = (name: string): KubeObject => ({
  apiVersion: `${group}/v1`,
  kind: 'Pool',
  metadata: { name },
  spec: {},
});

/** The controller of Things; `change` alters its spec. */
export const thingController = (hookUrl: string, change: Record<string, unknown> = {}): KubeObject => {
  const hook = (name: string) => ({
    version: 'v2',
    webhook: { url: `${hookUrl}/${name}`, timeout: '5s' },
  });
  return {
    apiVersion: 'metacontroller.k8s.io/v1alpha1',
    kind: 'CompositeController',
    metadata: { name: 'thing-controller' },
    spec: {
      generateSelector: true,
      parentResource: { apiVersion: `${group}/v1`, resource: 'things' },
      childResources: [
        { apiVersion: `${group}/v1`, resource: 'parts', updateStrategy: { method: 'InPlace' } },
      ],
      hooks: { sync: hook('sync'), finalize: hook('finalize'), customize: hook('customize') },
      ...change,
    },
  };
};
