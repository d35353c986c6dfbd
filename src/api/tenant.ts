import { z } from 'zod';

import { conditionsShape, endpointShape, passingConditionTypes } from './conditions.ts';
import { apiVersion, metadataShape } from './metadata.ts';
import { nameMaxBytes, namePattern, reservedNameRule } from './names.ts';

/** In climbing order; also the names of the conditions (but Planned, which always holds). */
export const tenantPhases = [
  'Planned',
  'CredentialCreated',
  'RoleCreated',
  'DatabaseCreated',
  'ExternalSecretCreated',
  'CredentialProjected',
  'Ready',
] as const;
export const tenantConditionTypes = [
  'CredentialCreated',
  'RoleCreated',
  'DatabaseCreated',
  'ExtensionsInstalled',
  'ExternalSecretCreated',
  'CredentialProjected',
  'Ready',
  ...passingConditionTypes,
] as const;
const deletionPolicies = ['Retain', 'Delete'] as const;

/** ESO takes over any unowned Secret whose name it is given, so tenants do not choose it; the suffix needs its room. */
export const tenantNameMax = 200;

/* Names are bounded by the API server (pattern, length) and judged again by the domain, which can say why in a condition. */
const postgresName = (description: string) =>
  z
    .string()
    .optional()
    .meta({
      pattern: namePattern,
      minLength: 1,
      maxLength: nameMaxBytes,
      description,
      'x-kubernetes-validations': [reservedNameRule],
    });

const immutable = (field: string) => ({
  rule: `has(self.${field}) == has(oldSelf.${field}) && (!has(self.${field}) || self.${field} == oldSelf.${field})`,
  message: `${field} is immutable; create another Tenant`,
});

const sameOptional = (field: string) =>
  `has(n.${field}) == has(o.${field}) && (!has(n.${field}) || n.${field} == o.${field})`;

const extensionShape = z
  .object({
    name: z
      .string()
      .min(1)
      .max(63)
      .meta({ pattern: '^[a-z][-a-z0-9_]*$', description: 'Name of the extension.' }),
    schema: z.string().min(1).max(63).optional().meta({
      pattern: namePattern,
      description: 'Schema for its objects; created when missing. Absent: public.',
    }),
    version: z.string().min(1).max(63).optional().meta({
      pattern: '^[0-9A-Za-z][-0-9A-Za-z._+~]*$',
      description: "Version. Absent: the server's default.",
    }),
  })
  .meta({ description: 'An extension; it cannot be changed once it is listed.' });

export const tenantSpecShape = z
  .object({
    instanceRef: z
      .object({ name: z.string().min(1).max(253).meta({ description: 'Name of the PostgreSQLInstance.' }) })
      .meta({
        description: 'The server to live on. Immutable.',
        'x-kubernetes-validations': [
          { rule: 'self.name == oldSelf.name', message: 'instanceRef is immutable; create another Tenant' },
        ],
      }),
    databaseName: postgresName(
      'Name of the database, unique on the server. Absent: `<namespace>_<name>`, with a hash where that is not unique or not a name. Immutable.',
    ),
    roleName: postgresName(
      'Name of the login role that owns the database. Absent: like the database. Immutable.',
    ),
    extensions: z
      .array(extensionShape)
      .max(32)
      .optional()
      .meta({
        description: 'Extensions to install. May only be appended to: an extension is never dropped.',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['name'],
      }),
    deletionPolicy: z.enum(deletionPolicies).default('Retain').meta({
      description:
        'What deleting the Tenant does to database, role and credential: keep them (Retain) or destroy them (Delete).',
    }),
    connectionLimit: z.int().min(-1).max(262143).default(-1).meta({
      format: 'int32',
      description: 'Connections that the role may hold at once; -1: no limit. The tenant cannot raise it.',
    }),
    credentialRotation: z
      .string()
      .max(128)
      .optional()
      .meta({ description: 'Any text; a new value makes a new password, once.' }),
  })
  .meta({
    description: 'One database with the role that owns it.',
    'x-kubernetes-validations': [
      immutable('databaseName'),
      immutable('roleName'),
      {
        rule: `!has(oldSelf.extensions) || (has(self.extensions) && oldSelf.extensions.all(o, self.extensions.exists(n, n.name == o.name && ${sameOptional('schema')} && ${sameOptional('version')})))`,
        message:
          'extensions may only be appended to; leave the listed ones as they are, or create another Tenant',
      },
    ],
  });

export const tenantStatusShape = z.object({
  phase: z
    .enum(tenantPhases)
    .optional()
    .meta({ description: 'How far the Tenant has come; while deleting: what still exists.' }),
  conditions: conditionsShape.optional(),
  observedGeneration: z
    .int()
    .optional()
    .meta({ format: 'int64', description: 'The generation that was last looked at.' }),
  databaseName: z
    .string()
    .max(63)
    .optional()
    .meta({ description: 'Name of the database, once it is claimed.' }),
  roleName: z.string().max(63).optional().meta({ description: 'Name of the role, once it is claimed.' }),
  endpoint: endpointShape.optional(),
  secretRef: z
    .object({
      name: z.string().max(253).meta({ description: 'Name of the Secret, in the namespace of the Tenant.' }),
    })
    .optional()
    .meta({ description: 'The Secret that the application uses.' }),
  binding: z
    .object({
      name: z.string().max(253).meta({ description: 'The same Secret, as Service Binding names it.' }),
    })
    .optional()
    .meta({ description: 'Service Binding (Provisioned Service).' }),
  credential: z
    .object({
      url: z
        .string()
        .max(2048)
        .meta({ description: "The record's KV v2 API URL for consumers; it holds no credential." }),
      version: z
        .int()
        .meta({ format: 'int64', description: 'Version of the record that the Secret is pinned to.' }),
    })
    .optional()
    .meta({ description: 'Where the credential is kept in OpenBao.' }),
  extensions: z
    .array(
      z.object({
        name: z.string().max(63).meta({ description: 'Name of the extension.' }),
        version: z.string().max(64).meta({ description: 'Installed version.' }),
      }),
    )
    .max(32)
    .optional()
    .meta({
      description: 'The listed extensions as they are installed.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
    }),
});

export const tenantShape = z.object({
  apiVersion: z.literal(apiVersion),
  kind: z.literal('PostgreSQLTenant'),
  metadata: metadataShape.extend({
    namespace: z
      .string()
      .max(63)
      .regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/),
  }),
  spec: tenantSpecShape,
  // A status that cannot be read (written by another version) counts as lost: it is rebuilt from the facts.
  status: tenantStatusShape.optional().catch(undefined),
});

/** At the root of the CRD, where `metadata.name` can be seen. */
export const tenantRootRules = [
  {
    rule: `size(self.metadata.name) <= ${tenantNameMax}`,
    message: `metadata.name may have at most ${tenantNameMax} characters, the Secret is named after it; choose a shorter one`,
  },
];

export type TenantPhase = (typeof tenantPhases)[number];
export type TenantConditionType = (typeof tenantConditionTypes)[number];
export type TenantStatus = z.infer<typeof tenantStatusShape>;
export type PostgreSQLTenant = z.infer<typeof tenantShape>;
export type DeletionPolicy = (typeof deletionPolicies)[number];
export type WishedExtension = z.infer<typeof extensionShape>;
