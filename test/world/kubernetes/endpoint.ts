import type { ApiState } from './api-state.ts';
import type { KubeObject } from './client.ts';
import type { Endpoint } from './decode.ts';
import type { ResourcePath } from './request-path.ts';
import { noSuchResource, notFound } from './status-error.ts';

/** The resource that a path names; throws 404 for one that is not served there. */
export function endpointOf({ types }: ApiState, path: ResourcePath): Endpoint {
  const type = types.get(path);
  const served = type?.versions[path.version];
  if (type === undefined || served === undefined) throw noSuchResource();
  const isScopeWrong = type.isNamespaced
    ? path.namespace === undefined && path.name !== undefined
    : path.namespace !== undefined;
  const isStatus = path.subresource === 'status' && served.hasStatus;
  if (isScopeWrong || (path.subresource !== '' && !isStatus)) throw noSuchResource();
  return { type, version: path.version };
}

/** The stored object that a path names; throws 404. */
export function storedObject({ store }: ApiState, { type }: Endpoint, path: ResourcePath): KubeObject {
  const { namespace, name = '' } = path;
  const object = store.get(type, namespace, name);
  if (object === undefined) throw notFound(type, name);
  return object;
}
