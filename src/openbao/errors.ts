import { z } from 'zod';

import type { Reason } from '../domain/reasons.ts';
import { Trouble } from '../errors.ts';
import type { Answer } from '../http-client/answer.ts';

const errorShape = z.object({ errors: z.array(z.string()) });

/** Did a node find no such thing in a mount that exists? Only this 404 has an empty list of errors and nothing else. */
export const isAbsent = ({ status, body }: Answer): boolean =>
  status === 404 && errorShape.strict().safeParse(body).data?.errors.length === 0;

/** What an answer that is not a success means. `doing` begins the message, e.g. "cannot read the record". */
export const troubleOf = (answer: Answer, doing: string, kind: 'read' | 'write'): Trouble => {
  if (isMismatch(answer)) {
    return new Trouble('OpenBaoError', `${doing}: it was changed in the meantime`, { outcomeUnknown: true });
  }
  const [reason, message] = meaningOf(answer);
  // A failing node, or a proxy before it, may have failed after the write was done.
  const outcomeUnknown = kind === 'write' && (answer.status >= 500 || answer.status < 300);
  return new Trouble(reason, `${doing}: ${message}`, { outcomeUnknown });
};

/** OpenBao's own texts are only searched, never handed on: they may repeat what was sent. */
export const says = ({ body }: Answer, words: string): boolean =>
  errorShape.safeParse(body).data?.errors.some((text) => text.includes(words)) ?? false;

const isMismatch = (answer: Answer): boolean =>
  answer.status === 400 && says(answer, 'check-and-set parameter did not match');

const meaningOf = (answer: Answer): [Reason, string] => {
  const { status } = answer;
  if (status < 300) return ['OpenBaoError', 'the answer is not one of KV version 2'];
  if (status < 400) return ['OpenBaoError', 'OpenBao redirects elsewhere, which is not followed'];
  if (status === 403) {
    return [
      'OpenBaoForbidden',
      'the token is not valid, or its policy lacks a right; compare the policy with docs/openbao-policy.hcl',
    ];
  }
  if (status === 404 && says(answer, 'namespace not found')) {
    return [
      'OpenBaoMountInvalid',
      'the OpenBao namespace does not exist; an administrator creates it, or corrects OPENBAO_NAMESPACE',
    ];
  }
  if (status === 404 || status === 405) {
    return [
      'OpenBaoMountInvalid',
      'the mount is not KV version 2; an administrator mounts one, or corrects OPENBAO_MOUNT',
    ];
  }
  if (status === 429) return ['OpenBaoError', 'OpenBao limits the rate of requests; it is tried again'];
  if (status === 501) return ['OpenBaoSealed', 'OpenBao is not initialized; it is tried again'];
  if (status === 503 || says(answer, 'not active')) {
    return ['OpenBaoSealed', 'OpenBao is sealed or has no active node; it is tried again'];
  }
  return [
    'OpenBaoError',
    `OpenBao answered with status ${status}; it is tried again, and the log of OpenBao says why`,
  ];
};
