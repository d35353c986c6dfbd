import type { KubeObject, Resource } from './client.ts';
import type { Schema } from './structural-schema.ts';

/** A made-up kind for the API's own tests. */
export const widgets: Resource = { group: 'example.org', version: 'v1', plural: 'widgets' };

export const widget = (name: string, spec: Record<string, unknown> = {}): KubeObject => ({
  apiVersion: 'example.org/v1',
  kind: 'Widget',
  metadata: { name, namespace: 'default' },
  spec,
});

interface WidgetCrd {
  readonly spec: Schema;
  readonly root?: Schema;
  readonly hasStatus?: boolean;
  readonly defaultStatus?: object;
  readonly scope?: 'Namespaced' | 'Cluster';
}

export const widgetCrd = ({
  spec,
  root = {},
  hasStatus = true,
  defaultStatus,
  scope = 'Namespaced',
}: WidgetCrd): KubeObject => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.org' },
  spec: {
    group: 'example.org',
    scope,
    names: { plural: 'widgets', kind: 'Widget' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        ...(hasStatus ? { subresources: { status: {} } } : {}),
        schema: {
          openAPIV3Schema: {
            type: 'object',
            ...root,
            properties: {
              apiVersion: { type: 'string' },
              kind: { type: 'string' },
              metadata: { type: 'object' },
              spec,
              status: {
                type: 'object',
                ...(defaultStatus === undefined ? {} : { default: defaultStatus }),
                properties: {
                  phase: { type: 'string' },
                  observedGeneration: { type: 'integer', format: 'int64' },
                },
              },
            },
          },
        },
      },
    ],
  },
});
