import type { z } from 'zod';

import { instanceSpecShape, instanceStatusShape } from '../api/instance.ts';
import { tenantRootRules, tenantSpecShape, tenantStatusShape } from '../api/tenant.ts';
import type { Rule } from './structural-schema.ts';

/** A column of `kubectl get`; those with a priority above 0 are shown by `-o wide` only. */
interface PrinterColumn {
  readonly name: string;
  readonly type: 'string' | 'date';
  readonly priority?: number;
  readonly jsonPath: string;
  readonly description: string;
}

/** Everything about a custom resource that its CRD and its reference are generated from. */
export interface Kind {
  readonly kind: 'PostgreSQLInstance' | 'PostgreSQLTenant';
  readonly singular: string;
  readonly plural: string;
  readonly shortName: string;
  readonly scope: 'Cluster' | 'Namespaced';
  readonly description: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly spec: z.ZodType;
  readonly status: z.ZodType;
  readonly rootRules: readonly Rule[];
  readonly columns: readonly PrinterColumn[];
}

const column = (name: string, jsonPath: string, description: string): PrinterColumn => ({
  name,
  type: 'string',
  jsonPath,
  description,
});
const wide = (shown: PrinterColumn): PrinterColumn => ({ ...shown, priority: 1 });
const ofReady = (field: string): string => `.status.conditions[?(@.type=="Ready")].${field}`;

const phase = column('Phase', '.status.phase', 'How far it has come.');
const ready = column('Ready', ofReady('status'), 'Status of the condition Ready.');
const age: PrinterColumn = {
  ...column('Age', '.metadata.creationTimestamp', 'Time since it was created.'),
  type: 'date',
};
const reason = column('Reason', ofReady('reason'), 'Reason of the condition Ready.');
const message = wide(column('Message', ofReady('message'), 'Message of the condition Ready.'));

export const instanceKind: Kind = {
  kind: 'PostgreSQLInstance',
  singular: 'postgresqlinstance',
  plural: 'postgresqlinstances',
  shortName: 'pgi',
  scope: 'Cluster',
  description: 'A PostgreSQL server outside Kubernetes on which Tenants may live.',
  labels: {},
  spec: instanceSpecShape,
  status: instanceStatusShape,
  rootRules: [],
  columns: [
    phase,
    ready,
    reason,
    column('Version', '.status.serverVersion', 'Version of the server.'),
    column('Host', '.spec.host', 'DNS name of the server.'),
    age,
    message,
  ],
};

export const tenantKind: Kind = {
  kind: 'PostgreSQLTenant',
  singular: 'postgresqltenant',
  plural: 'postgresqltenants',
  shortName: 'pgt',
  scope: 'Namespaced',
  description: 'One database on a PostgreSQLInstance, with its login role, its credential and its Secret.',
  // By this label the Service Binding specification finds kinds that name a Secret in `status.binding`.
  labels: { 'servicebinding.io/provisioned-service': 'true' },
  spec: tenantSpecShape,
  status: tenantStatusShape,
  rootRules: tenantRootRules,
  columns: [
    phase,
    ready,
    reason,
    column('Instance', '.spec.instanceRef.name', 'The PostgreSQLInstance that it lives on.'),
    column('Secret', '.status.secretRef.name', 'The Secret that the application uses.'),
    age,
    wide(column('Database', '.status.databaseName', 'Name of the database.')),
    message,
  ],
};
