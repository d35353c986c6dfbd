import { stringify } from 'yaml';

import { apiGroup, apiVersion } from '../api/metadata.ts';
import type { Kind } from './kinds.ts';
import { structuralSchema } from './structural-schema.ts';

const version = apiVersion.slice(apiGroup.length + 1);

/** The CustomResourceDefinition as YAML. Throws where a shape cannot be one (see `structuralSchema`). */
export const crdYaml = (kind: Kind): string =>
  `# Generated from src/api by \`npm run generate\`; do not edit.\n${stringify(crdOf(kind), {
    lineWidth: 110,
    // An alias is legal YAML, but not every tool that edits manifests follows it.
    aliasDuplicateObjects: false,
  })}`;

const crdOf = (kind: Kind): object => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: {
    name: `${kind.plural}.${apiGroup}`,
    ...(Object.keys(kind.labels).length === 0 ? {} : { labels: kind.labels }),
  },
  spec: {
    group: apiGroup,
    scope: kind.scope,
    names: namesOf(kind),
    versions: [
      {
        name: version,
        served: true,
        storage: true,
        subresources: { status: {} },
        additionalPrinterColumns: kind.columns,
        schema: { openAPIV3Schema: rootSchemaOf(kind) },
      },
    ],
  },
});

const namesOf = ({ kind, plural, singular, shortName }: Kind): object => ({
  kind,
  listKind: `${kind}List`,
  plural,
  singular,
  shortNames: [shortName],
  categories: ['pgtenancy'],
});

const rootSchemaOf = (kind: Kind): object => ({
  description: kind.description,
  type: 'object',
  ...(kind.rootRules.length === 0 ? {} : { 'x-kubernetes-validations': kind.rootRules }),
  required: ['spec'],
  properties: {
    apiVersion: { description: `Always ${apiVersion}.`, type: 'string' },
    kind: { description: `Always ${kind.kind}.`, type: 'string' },
    metadata: { type: 'object' },
    spec: structuralSchema(kind.spec, 'spec'),
    status: {
      description: 'What was observed; written by the operator only.',
      // An object that nobody has looked at yet has no condition, which kstatus would take for finished.
      default: { observedGeneration: -1 },
      ...structuralSchema(kind.status, 'status'),
    },
  },
});
