import { isObject, sameJson, type JsonObject } from './json.ts';
import { badRequest, StatusError, unsupportedMediaType } from './status-error.ts';

/** Applies a JSON merge patch (RFC 7396) or a JSON patch (RFC 6902: add, remove, replace, test). */
export function applyPatch(target: JsonObject, patch: unknown, contentType: string): unknown {
  if (contentType === 'application/merge-patch+json') return mergePatch(target, patch);
  if (contentType === 'application/json-patch+json' && Array.isArray(patch))
    return patch.reduce<unknown>(applyOperation, structuredClone(target));
  throw unsupportedMediaType(contentType);
}

function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const merged: JsonObject = isObject(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) Reflect.deleteProperty(merged, key);
    else merged[key] = mergePatch(merged[key], value);
  }
  return merged;
}

function applyOperation(document: unknown, operation: unknown): unknown {
  if (!isObject(operation) || typeof operation['path'] !== 'string') throw badRequest('malformed JSON patch');
  const keys = operation['path'].split('/').slice(1);
  const last = (keys.pop() ?? '').replaceAll('~1', '/').replaceAll('~0', '~');
  const parent = keys.reduce<unknown>(
    (at, key) => step(at, key.replaceAll('~1', '/').replaceAll('~0', '~')),
    document,
  );
  const op = operation['op'];
  const isPresent = step(parent, last) !== undefined;
  if (op === 'test') {
    if (sameJson(step(parent, last), operation['value'])) return document;
    throw new StatusError(
      422,
      'Invalid',
      `the server rejected our request: testing path ${operation['path']} failed`,
    );
  }
  if (op !== 'add' && !isPresent)
    throw new StatusError(
      422,
      'Invalid',
      `the server rejected our request: no value at ${operation['path']}`,
    );
  change(parent, last, op, operation['value']);
  return document;
}

const step = (at: unknown, key: string): unknown => {
  if (Array.isArray(at)) return at[Number(key)] as unknown;
  return isObject(at) ? at[key] : undefined;
};

function change(parent: unknown, key: string, op: unknown, value: unknown): void {
  if (op !== 'add' && op !== 'remove' && op !== 'replace')
    throw badRequest(`unsupported JSON patch operation ${String(op)}`);
  if (Array.isArray(parent)) {
    const index = key === '-' ? parent.length : Number(key);
    parent.splice(index, op === 'add' ? 0 : 1, ...(op === 'remove' ? [] : [value]));
  } else if (!isObject(parent)) throw badRequest('JSON patch points into nothing');
  else if (op === 'remove') Reflect.deleteProperty(parent, key);
  else parent[key] = value;
}
