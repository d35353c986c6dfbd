import { readFileSync } from 'node:fs';

import { z } from 'zod';

import type { Permission } from './permission.ts';

/** Everything that ServiceAccounts ask for, reads too; a watch when it begins. */
export const everyRequest = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  rules: [
    { level: 'None', userGroups: ['system:serviceaccounts:kube-system'] },
    { level: 'Metadata', userGroups: ['system:serviceaccounts'] },
    { level: 'None' },
  ],
};

const line = z.object({
  verb: z.string(),
  user: z.object({ username: z.string() }),
  objectRef: z.object({
    resource: z.string(),
    apiGroup: z.string().default(''),
    subresource: z.string().default(''),
    namespace: z.string().optional(),
  }),
  annotations: z
    .object({
      'authorization.k8s.io/decision': z.enum(['allow', 'forbid']),
      'authorization.k8s.io/reason': z.string().default(''),
    })
    .optional(),
});

/** A request of a ServiceAccount, as the authorizer saw it. */
export interface JudgedRequest extends Permission {
  /** `namespace:name` of the ServiceAccount. */
  readonly account: string;
  readonly isAllowed: boolean;
  /** By a role that every user has; not by one of the chart. */
  readonly isEverybodys: boolean;
}

/** Judged requests after the first `skipped` bytes, and how many bytes there are now. */
export function judgedRequests(file: string, skipped = 0): { requests: JudgedRequest[]; bytes: number } {
  const text = readFileSync(file).subarray(skipped).toString();
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  const requests = whole
    .split('\n')
    .filter((one) => one !== '')
    .flatMap((one) => requestIn(JSON.parse(one)));
  return { requests, bytes: skipped + Buffer.byteLength(whole) };
}

/** Others than those about resources have no `objectRef`. */
function requestIn(entry: unknown): JudgedRequest[] {
  const { verb, user, objectRef, annotations } = line.safeParse(entry).data ?? {};
  if (verb === undefined || user === undefined || objectRef === undefined) return [];
  const { resource, apiGroup, subresource } = objectRef;
  return [
    {
      ...{ verb, group: apiGroup, resource: subresource === '' ? resource : `${resource}/${subresource}` },
      account: user.username.replace('system:serviceaccount:', ''),
      isAllowed: annotations?.['authorization.k8s.io/decision'] === 'allow',
      isEverybodys: (annotations?.['authorization.k8s.io/reason'] ?? '').includes('ClusterRole "system:'),
    },
  ];
}
