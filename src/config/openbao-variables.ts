import { z } from 'zod';

import { isHeaderToken } from '../http-client/header-token.ts';
import { isMountPath } from '../openbao/path.ts';
import { Secret } from '../secret.ts';
import { certificates, namedFile, token, type ReadFile } from './file-shapes.ts';
import { httpsOrigin, origin } from './urls.ts';
import { choice, required } from './value-shapes.ts';
import { valueDocs, variableDocs } from './variable-docs.ts';

/** Not defaults of the shapes: with `OPENBAO_AUTH=token` the two must not be given. */
export const openBaoDefaults = {
  authMount: 'kubernetes',
  serviceAccountTokenFile: '/var/run/secrets/openbao/token',
} as const;

const openBaoPath = () =>
  required()
    .refine(isMountPath, { error: 'must be a path of OpenBao without slashes around it', abort: true })
    .register(valueDocs, { looksLike: 'a path of OpenBao' });

/** No KV engine can be mounted there. */
const ownPaths: ReadonlySet<string | undefined> = new Set(['sys', 'auth', 'identity', 'cubbyhole', 'audit']);

const firstSegment = (path: string): string | undefined => path.split('/')[0];

const openBaoToken = () =>
  z
    .string()
    .refine(isHeaderToken, 'must be a token of printable ASCII without spaces')
    .transform((text) => new Secret(text))
    .register(valueDocs, { looksLike: 'a token' });

export const openBaoVariables = (readFile: ReadFile) => ({
  OPENBAO_ADDRESS: origin().register(variableDocs, {
    meaning:
      'Where the operator reaches OpenBao; http is for a trial. It should lead to the active node: no other is believed that a credential is absent, or asked to delete one.',
  }),
  OPENBAO_EXTERNAL_ADDRESS: httpsOrigin().optional().register(variableDocs, {
    meaning:
      'Where people and applications reach OpenBao, when that is another address; `status.credential.url` of a Tenant begins with it.',
    default: '`OPENBAO_ADDRESS`',
  }),
  OPENBAO_MOUNT: openBaoPath()
    .refine(
      (path) => !ownPaths.has(firstSegment(path)),
      'must be a KV mount: OpenBao keeps that path for itself',
    )
    .register(variableDocs, {
      meaning:
        'The KV version 2 mount that holds the credentials. Its first segment must differ from `INSTALLATION`.',
    }),
  OPENBAO_NAMESPACE: openBaoPath().optional().register(variableDocs, {
    meaning: 'Namespace of OpenBao that the mounts are in.',
    default: 'none: the root namespace',
  }),
  OPENBAO_CA_FILE: namedFile(readFile, certificates).register(variableDocs, {
    meaning: 'CA that signed the certificate of `OPENBAO_ADDRESS`. Read again every minute.',
    requiredWhen: 'when `OPENBAO_ADDRESS` begins with https, unless `OPENBAO_TRUST_SYSTEM_ROOTS=true`',
  }),
  OPENBAO_TRUST_SYSTEM_ROOTS: choice('true', 'false').default('false').register(variableDocs, {
    meaning:
      '`true`: `OPENBAO_ADDRESS` has a certificate of a public CA (one that Node.js trusts by itself), so no `OPENBAO_CA_FILE` is given.',
  }),
  OPENBAO_AUTH: choice('kubernetes', 'token').default('kubernetes').register(variableDocs, {
    meaning:
      'How the operator logs in: with its service account, or with a token that something else keeps fresh.',
  }),
  OPENBAO_ROLE: z
    .string()
    .regex(/^[A-Za-z0-9][-_.A-Za-z0-9]{0,127}$/, 'must be the name of a role: letters, digits, - _ .')
    .register(valueDocs, { looksLike: 'name of a role' })
    .optional()
    .register(variableDocs, {
      meaning: 'Role of the Kubernetes auth method of OpenBao, bound to the service account of the operator.',
      requiredWhen: 'with `OPENBAO_AUTH=kubernetes`',
    }),
  OPENBAO_AUTH_MOUNT: openBaoPath()
    .refine((path) => firstSegment(path) !== 'auth', 'must be the path below auth/: leave out auth/')
    .optional()
    .register(variableDocs, {
      meaning: 'Mount of the Kubernetes auth method.',
      default: `\`${openBaoDefaults.authMount}\``,
    }),
  OPENBAO_SERVICE_ACCOUNT_TOKEN_FILE: namedFile(readFile, token).register(variableDocs, {
    meaning:
      'Projected service account token whose audience is the one that the role asks for. Read again at each login.',
    default: `\`${openBaoDefaults.serviceAccountTokenFile}\``,
  }),
  OPENBAO_TOKEN: openBaoToken().optional().register(variableDocs, {
    meaning:
      'The token. It is never replaced while the process runs: `OPENBAO_TOKEN_FILE` is the better way.',
    requiredWhen: 'with `OPENBAO_AUTH=token`, one of the two',
    secret: true,
  }),
  OPENBAO_TOKEN_FILE: namedFile(readFile, token).register(variableDocs, {
    meaning:
      'The token in a file that something else keeps fresh, such as an agent beside the operator. Read again when OpenBao refuses the token.',
    requiredWhen: 'with `OPENBAO_AUTH=token`, one of the two',
  }),
});
