import { randomUUID } from 'node:crypto';

/** What somebody before us named the request, if that is short and plain: it goes into every line about the request. */
const plain = /^[A-Za-z0-9._-]{1,64}$/;

interface Request {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** Metacontroller names no request, so nearly every id is made here. */
export function requestIdOf({ headers }: Request): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && plain.test(given) ? given : randomUUID();
}
