import { createHash, timingSafeEqual } from 'node:crypto';

import type { Secret } from '../secret.ts';

export interface BearerGate {
  /** From now on these count and no others. */
  accept(tokens: readonly Secret[]): void;
  /** `authorization` is every header of that name, as it came. */
  admits(authorization: readonly string[] | undefined): boolean;
}

/** Keeps digests only. How long a check takes says nothing about the tokens: digests have one length, and all are compared. */
export function createBearerGate(tokens: readonly Secret[]): BearerGate {
  let accepted: readonly Buffer[] = [];
  const accept = (replacement: readonly Secret[]) => {
    accepted = replacement.map((token) => digestOf(token.reveal()));
  };
  accept(tokens);
  return {
    accept,
    admits: (authorization) => {
      const token = tokenIn(authorization);
      const digest = digestOf(token ?? '');
      const matches = accepted.map((other) => timingSafeEqual(other, digest));
      return token !== undefined && matches.includes(true);
    },
  };
}

/** Undefined unless there is exactly one header, of the scheme Bearer (in any case), with one token. */
function tokenIn(authorization: readonly string[] | undefined): string | undefined {
  const [header, ...others] = authorization ?? [];
  if (header === undefined || others.length > 0) return undefined;
  return /^bearer +([\x21-\x7e]+)$/i.exec(header)?.[1];
}

const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest();
