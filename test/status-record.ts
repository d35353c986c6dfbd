import { appendFileSync } from 'node:fs';
import { join } from 'node:path';

import type { InstanceStatus } from '../src/api/instance.ts';
import type { TenantStatus } from '../src/api/tenant.ts';

/** One status that a test produced. */
export interface RecordedStatus {
  readonly kind: 'PostgreSQLInstance' | 'PostgreSQLTenant';
  readonly status: InstanceStatus | TenantStatus;
}

/** Names a folder: statuses are kept there, one JSON text a line, one file for each process. */
export const recordVariable = 'STATUS_RECORD_FOLDER';

const folder = process.env[recordVariable];
const seen = new Set<string>();

/**
 * Keeps a status that has something new in one of its parts: what an API server makes of one part does not depend on
 * the others, so of the millions that come by a few hundred are enough. Does nothing unless the environment asks for it.
 */
export function recordStatus<Status extends RecordedStatus['status']>(
  kind: RecordedStatus['kind'],
  status: Status,
): Status {
  if (folder === undefined) return status;
  const before = seen.size;
  for (const part of partsOf('', status)) seen.add(`${kind}${part}`);
  if (seen.size > before)
    appendFileSync(join(folder, `${process.pid}.jsonl`), `${JSON.stringify({ kind, status })}\n`);
  return status;
}

const inWords = /\.(phase|type|status|reason)$/;

/** Every field, with what its schema can tell apart: the word, the size, the length, the fields and words that go together. */
function partsOf(path: string, value: unknown): string[] {
  if (typeof value === 'string') return [`${path} ${inWords.test(path) ? value : magnitude(value.length)}`];
  if (typeof value === 'number') return [`${path} ${magnitude(value)}`];
  if (Array.isArray(value))
    return [`${path} ${value.length}`, ...value.flatMap((item) => partsOf(`${path}[]`, item))];
  const entries = Object.entries(value ?? {}).filter(([, field]) => field !== undefined);
  const names = entries.map(([name]) => name).join(' ');
  const words = entries.filter(([name]) => inWords.test(`.${name}`)).map(([, word]) => String(word));
  const fields = entries.flatMap(([name, field]) => partsOf(`${path}.${name}`, field));
  return [`${path} ${names}`, `${path} ${words.join(' ')}`, ...fields];
}

const magnitude = (size: number): number => Math.sign(size) * Math.ceil(Math.log2(Math.abs(size) + 1));
