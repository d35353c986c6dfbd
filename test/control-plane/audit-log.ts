import { readFileSync } from 'node:fs';

import { z } from 'zod';

import type { AuditEntry } from '../world/kubernetes/audit.ts';

/** Every write is told of once, when it was answered; what the API server does for itself is not. */
export const auditPolicy = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived', 'ResponseStarted'],
  rules: [
    { level: 'None', verbs: ['get', 'list', 'watch'] },
    { level: 'None', users: ['system:apiserver', 'system:kube-controller-manager'] },
    { level: 'None', userGroups: ['system:serviceaccounts:kube-system'] },
    { level: 'None', resources: [{ group: 'coordination.k8s.io', resources: ['leases'] }] },
    { level: 'Metadata' },
  ],
};

const line = z.object({
  verb: z.enum(['create', 'update', 'patch', 'delete', 'deletecollection']),
  userAgent: z.string().default(''),
  user: z.object({ username: z.string() }),
  objectRef: z.object({
    resource: z.string(),
    apiGroup: z.string().default(''),
    namespace: z.string().optional(),
    name: z.string().optional(),
    subresource: z.string().default(''),
  }),
  responseStatus: z.object({ code: z.number() }),
});

/** Reviews of tokens and rights are asked for by POST, and store nothing. */
const storesNothing = /review$|^serviceaccounts\/token$/;

export interface UserAuditEntry extends AuditEntry {
  /** `system:serviceaccount:<namespace>:<name>`, or the name of the user. */
  readonly user: string;
}

/** Every write request that was answered so far, oldest first; dry runs and refusals too. */
export function readAuditLog(file: string): UserAuditEntry[] {
  const text = readFileSync(file, 'utf8');
  // The last line may be in the middle of being written.
  return text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .flatMap((one) => {
      const parsed = one === '' ? undefined : line.safeParse(JSON.parse(one)).data;
      return parsed === undefined ? [] : [entryOf(parsed)];
    })
    .filter(({ resource, subresource }) => {
      const [plural = ''] = resource.split('.');
      return !storesNothing.test(subresource === '' ? plural.replace(/s$/, '') : `${plural}/${subresource}`);
    });
}

const entryOf = ({
  verb,
  userAgent,
  user,
  objectRef,
  responseStatus,
}: z.infer<typeof line>): UserAuditEntry => ({
  verb: verb === 'deletecollection' ? 'delete' : verb,
  resource: objectRef.apiGroup === '' ? objectRef.resource : `${objectRef.resource}.${objectRef.apiGroup}`,
  namespace: objectRef.namespace,
  name: objectRef.name,
  subresource: objectRef.subresource,
  userAgent,
  code: responseStatus.code,
  user: user.username,
});
