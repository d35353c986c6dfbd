import { z } from 'zod';

import { conditionsShape, endpointShape, passingConditionTypes } from './conditions.ts';
import { apiVersion, metadataShape } from './metadata.ts';

export const instancePhases = ['Planned', 'Connected', 'RegistryReady', 'Ready'] as const;
export const instanceConditionTypes = [
  'Connected',
  'RightsSufficient',
  'RegistryReady',
  'PublicClosed',
  'Ready',
  ...passingConditionTypes,
] as const;
const tlsModes = ['disable', 'require', 'verify-ca', 'verify-full'] as const;

const tlsShape = z
  .object({
    mode: z.enum(tlsModes).default('verify-full').meta({
      description:
        "libpq's words: `disable` (no TLS), `require` (TLS, nothing verified), `verify-ca` (chain), `verify-full` (chain and names).",
    }),
    caBundle: z.string().max(65536).optional().meta({
      description: 'PEM certificates of the CA; absent: the bundle that is mounted into the controller.',
    }),
  })
  .meta({
    description: 'How the connection is protected.',
    'x-kubernetes-validations': [
      {
        rule: "!has(self.caBundle) || self.mode == 'verify-ca' || self.mode == 'verify-full'",
        message: 'caBundle is for mode verify-ca or verify-full; take it out, or set one of these',
      },
    ],
  });

const secretKey = (fallback: string, description: string) =>
  z.string().min(1).max(253).default(fallback).meta({ pattern: '^[-._a-zA-Z0-9]+$', description });

const managementSecretRefShape = z
  .object({
    name: z
      .string()
      .min(1)
      .max(253)
      .meta({ description: "A Secret in the controller's own namespace, which the controller only reads." }),
    usernameKey: secretKey('username', 'Its key with the login name.'),
    passwordKey: secretKey('password', 'Its key with the password.'),
  })
  .meta({ description: 'The management login.' });

const selectorShape = z
  .object({
    matchLabels: z
      .record(z.string(), z.string().max(63))
      .optional()
      .meta({ maxProperties: 32, description: 'Labels that must all be there with these values.' }),
    matchExpressions: z
      .array(
        z.object({
          key: z.string().min(1).max(317).meta({ description: 'Label key.' }),
          operator: z
            .enum(['In', 'NotIn', 'Exists', 'DoesNotExist'])
            .meta({ description: 'How it is compared.' }),
          values: z.array(z.string().max(63)).max(64).optional().meta({ description: 'For In and NotIn.' }),
        }),
      )
      .max(32)
      .optional()
      .meta({ description: 'Expressions that must all hold.' }),
  })
  .meta({ description: 'A label selector on Namespaces.' });

const allowedNamespacesShape = z
  .object({
    names: z
      .array(z.string().min(1).max(63))
      .max(256)
      .optional()
      .meta({ description: 'Namespaces by name.', 'x-kubernetes-list-type': 'set' }),
    selector: selectorShape.optional(),
  })
  .meta({
    description: 'Namespaces whose Tenants are served: by name or by label, either is enough. Absent: all.',
  });

export const instanceSpecShape = z
  .object({
    host: z.string().min(1).max(253).meta({
      pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*$',
      description: 'DNS name of the server; its certificate is verified against it.',
    }),
    hostAddress: z.string().min(2).max(45).optional().meta({
      pattern: '^[0-9a-fA-F:.]+$',
      description:
        'IPv4 or IPv6 address that is dialled in place of the DNS name. The certificate must hold it too.',
    }),
    port: z.int().min(1).max(65535).default(5432).meta({ format: 'int32', description: 'TCP port.' }),
    managementDatabase: z
      .string()
      .min(1)
      .max(63)
      .default('postgres')
      .meta({
        description: 'Where the registry lives. A dedicated database is recommended. Immutable.',
        'x-kubernetes-validations': [
          {
            rule: 'self == oldSelf',
            message: 'managementDatabase is immutable, the registry lives there; create another Instance',
          },
        ],
      }),
    tls: tlsShape.default({ mode: 'verify-full' }),
    managementSecretRef: managementSecretRefShape,
    adminRole: z.string().min(1).max(63).optional().meta({
      description: 'A NOLOGIN role that the login switches to, so that login and password can be rotated.',
    }),
    allowedNamespaces: allowedNamespacesShape.optional(),
    maxConnections: z.int().min(2).max(64).default(4).meta({
      format: 'int32',
      description:
        'Backends that each replica of the controller may hold on this server, idle ones and those that create or drop databases included. At most two of the latter run at once, and one backend always stays free of them.',
    }),
  })
  .meta({ description: 'An external PostgreSQL server.' });

export const instanceStatusShape = z.object({
  phase: z.enum(instancePhases).optional().meta({ description: 'How far the Instance has come.' }),
  conditions: conditionsShape.optional(),
  observedGeneration: z
    .int()
    .optional()
    .meta({ format: 'int64', description: 'The generation that was last looked at.' }),
  serverVersion: z.string().max(64).optional().meta({ description: 'Version of the server, e.g. 17.10.' }),
  systemIdentifier: z
    .string()
    .max(32)
    .optional()
    .meta({ description: "The server's system identifier: the same for as long as it is the same cluster." }),
  endpoint: endpointShape.optional(),
});

export const instanceShape = z.object({
  apiVersion: z.literal(apiVersion),
  kind: z.literal('PostgreSQLInstance'),
  metadata: metadataShape,
  spec: instanceSpecShape,
  // A status that cannot be read (written by another version) counts as lost: it is rebuilt from the facts.
  status: instanceStatusShape.optional().catch(undefined),
});

export type InstancePhase = (typeof instancePhases)[number];
export type InstanceConditionType = (typeof instanceConditionTypes)[number];
export type InstanceStatus = z.infer<typeof instanceStatusShape>;
export type PostgreSQLInstance = z.infer<typeof instanceShape>;
