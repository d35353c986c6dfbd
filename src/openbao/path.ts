import type { CredentialPath } from '../domain/credential.ts';

const segment = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/;
const mountSegment = /^[A-Za-z0-9]([-_A-Za-z0-9.]*[A-Za-z0-9])?$/;

/**
 * `<installation>/<namespace>/<name>/<tenant uid>`. Each segment is checked, because OpenBao decodes percent-encoding
 * before it routes: an encoded slash would be a slash. Throws a plain `Error` (a bug): Kubernetes allows no other names.
 */
export const keyOf = (
  { installation, namespace, name, tenantUid }: CredentialPath,
  mount: string,
): string => {
  const segments = [installation, namespace, name, tenantUid];
  if (!segments.every((part) => segment.test(part) && !part.includes('..') && part.length <= 253)) {
    throw new Error('a segment of the credential path is not a Kubernetes name');
  }
  // External Secrets cuts the mount's name off the front of a key.
  if (installation === mount.split('/')[0])
    throw new Error('the installation must not be named like the mount');
  return segments.join('/');
};

/** A mount or a namespace of OpenBao: one or more segments, without a slash at either end. */
export const isMountPath = (path: string): boolean =>
  path.split('/').every((part) => mountSegment.test(part) && !part.includes('..'));
