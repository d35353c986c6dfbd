import { z } from 'zod';

import { Trouble } from '../errors.ts';
import { connectionFailureOf } from '../http-client/connection-failure.ts';

/** The part of `metav1.Status` that tells an object that is not there from a kind that is not there. */
const notFoundShape = z.object({
  kind: z.literal('Status'),
  reason: z.literal('NotFound'),
  details: z.object({ name: z.string() }),
});

/** Does the API server itself say that it has no object of this name? Without the kind's CRD it answers 404 as well. */
export const saysNotFound = (status: number, body: unknown, name: string): boolean =>
  status === 404 && notFoundShape.safeParse(body).data?.details.name === name;

/** Nothing else of a library's error survives: it carries the token. */
export const unreachable = (error: unknown): Trouble =>
  new Trouble(
    'KubernetesUnreachable',
    `cannot reach the Kubernetes API: ${connectionFailureOf(error).text}; it is tried again`,
  );

/** What an answer that is neither a success nor a plain "not found" means. `what` is e.g. "PostgreSQLInstance a". */
export const refused = (status: number, what: string): Trouble => {
  if (status === 401 || status === 403) {
    return new Trouble(
      'KubernetesForbidden',
      `the Kubernetes API does not let the operator read ${what}; the platform administrator gives its service account the right to`,
    );
  }
  if (status === 429 || status >= 500) {
    return new Trouble(
      'KubernetesUnreachable',
      `cannot read ${what}: the Kubernetes API answered ${status}; it is tried again`,
    );
  }
  return new Trouble('KubernetesAnswerInvalid', `cannot read ${what}: the Kubernetes API answered ${status}`);
};

export const invalidAnswer = (what: string): Trouble =>
  new Trouble(
    'KubernetesAnswerInvalid',
    `cannot read ${what}: the answer is not the object asked for, or it breaks the rules of its CRD and has to be put right`,
  );
