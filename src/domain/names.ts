import { createHash } from 'node:crypto';

import { nameMaxBytes, namePattern, reservedNames, reservedPrefixes } from '../api/names.ts';

const pattern = new RegExp(namePattern);
const reserved = new Set<string>(reservedNames);

export interface NameFault {
  readonly reason: 'NameInvalid' | 'NameReserved';
  readonly message: string;
}

/** Judges a name again in code, for when the API server's rules were not there. `what`: "databaseName" or "roleName". */
export function faultOfName(what: string, name: string, alsoReserved: readonly string[]): NameFault | null {
  if (!pattern.test(name) || Buffer.byteLength(name) > nameMaxBytes) {
    return {
      reason: 'NameInvalid',
      message: `spec.${what} must match ${namePattern} and have at most ${nameMaxBytes} bytes; ${another}`,
    };
  }
  if (isReserved(name) || alsoReserved.includes(name)) {
    return {
      reason: 'NameReserved',
      message: `${what} "${name}" is reserved by PostgreSQL, by a provider, by this operator or for the management of the server; ${another}`,
    };
  }
  return null;
}

const another = 'names are immutable, so delete this Tenant and create one with another name';

const isReserved = (name: string): boolean =>
  reserved.has(name) || reservedPrefixes.some((prefix) => name.startsWith(prefix));

/**
 * The name of database and role when the Tenant names none: `<namespace>_<name>` where that can mean nothing else,
 * otherwise with eight hex digits of a hash. `a-b/c` and `a/b-c` would both be `a_b_c`; a name without a hash has
 * exactly one underscore, one with a hash has more, so the two kinds never meet.
 */
export function defaultName(namespace: string, name: string): string {
  const plain = `${namespace}_${name}`;
  const usable = pattern.test(plain) && plain.length <= nameMaxBytes && !isReserved(plain);
  if (usable) return plain;
  const body = plain.replaceAll(/[-.]/g, '_');
  const safe = /^[a-z]/.test(body) && !isReserved(body) ? body : `t_${body}`;
  const hash = createHash('sha256').update(`${namespace}/${name}`).digest('hex').slice(0, 8);
  const head = safe.slice(0, nameMaxBytes - hash.length - 1);
  // A namespace that is long enough to push its own underscore out would leave only the one before the hash.
  return `${head.includes('_') ? head : `${head.slice(0, -1)}_`}_${hash}`;
}
