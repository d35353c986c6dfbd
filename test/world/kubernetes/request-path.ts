import { noSuchResource } from './status-error.ts';

/** What a request's path names. */
export interface ResourcePath {
  readonly group: string;
  readonly version: string;
  readonly namespace: string | undefined;
  readonly plural: string;
  readonly name: string | undefined;
  /** '' for the main resource. */
  readonly subresource: string;
}

/** `/api/<version>/...` is the core group, `/apis/<group>/<version>/...` any other; throws 404. */
export function readPath(pathname: string): ResourcePath {
  const [root, ...rest] = pathname
    .split('/')
    .filter((part) => part !== '')
    .map(decodeURIComponent);
  if (root === 'api') return belowVersion('', rest);
  const [group, ...below] = rest;
  if (root !== 'apis' || group === undefined) throw noSuchResource();
  return belowVersion(group, below);
}

function belowVersion(group: string, [version, ...parts]: readonly string[]): ResourcePath {
  const [first, second, third] = parts;
  // `/namespaces/x/status` is about the Namespace itself, `/namespaces/x/secrets` about what is in it.
  const isScoped =
    first === 'namespaces' && third !== undefined && third !== 'status' && third !== 'finalize';
  const namespace = isScoped ? second : undefined;
  const [plural, name, subresource = '', ...excess] = isScoped ? parts.slice(2) : parts;
  if (version === undefined || plural === undefined || excess.length > 0) throw noSuchResource();
  return { group, version, namespace, plural, name, subresource };
}
