import type { Schema } from './structural-schema.ts';

const text: Schema = { type: 'string' };
const integer: Schema = { type: 'integer' };
const open: Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
const textMap: Schema = { type: 'object', additionalProperties: text };

export const namespaces: Schema = {
  type: 'object',
  properties: {
    spec: { type: 'object', properties: { finalizers: { type: 'array', items: text } } },
    status: {
      type: 'object',
      properties: { phase: text, conditions: { type: 'array', items: open } },
    },
  },
};

export const secrets: Schema = {
  type: 'object',
  properties: {
    type: { ...text, default: 'Opaque' },
    immutable: { type: 'boolean' },
    data: textMap,
    stringData: textMap,
  },
};

export const configMaps: Schema = {
  type: 'object',
  properties: { immutable: { type: 'boolean' }, data: textMap, binaryData: textMap },
};

export const serviceAccounts: Schema = {
  type: 'object',
  properties: {
    secrets: { type: 'array', items: open },
    imagePullSecrets: { type: 'array', items: open },
    automountServiceAccountToken: { type: 'boolean' },
  },
};

export const events: Schema = {
  type: 'object',
  properties: {
    involvedObject: {
      type: 'object',
      properties: {
        apiVersion: text,
        kind: text,
        namespace: text,
        name: text,
        uid: text,
        resourceVersion: text,
        fieldPath: text,
      },
    },
    related: open,
    reason: text,
    message: text,
    type: text,
    action: text,
    count: integer,
    source: { type: 'object', properties: { component: text, host: text } },
    series: open,
    firstTimestamp: text,
    lastTimestamp: text,
    eventTime: { ...text, nullable: true },
    reportingComponent: text,
    reportingInstance: text,
  },
  required: ['involvedObject'],
};
