import type { Get } from './client.ts';
import { invalidAnswer, refused, saysNotFound } from './errors.ts';
import type { Resource } from './objects.ts';

const objectName = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/;

/**
 * undefined: no such object. A name that no object can have is not asked for: `..` in a path would ask for another one.
 * Throws `KubernetesAnswerInvalid` for anything but the object, also when the API server does not know the kind.
 */
export const readObject = async <T extends { readonly metadata: { readonly name: string } }>(
  get: Get,
  resource: Resource<T>,
  name: string,
  namespace?: string,
): Promise<T | undefined> => {
  const what = `${resource.kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`;
  if (![name, ...(namespace === undefined ? [] : [namespace])].every(canExist)) return undefined;
  const folder = namespace === undefined ? '' : `/namespaces/${namespace}`;
  const { status, body } = await get(`${resource.root}${folder}/${resource.plural}/${name}`);
  if (saysNotFound(status, body, name)) return undefined;
  if (status !== 200) throw refused(status, what);
  const parsed = resource.shape.safeParse(body);
  if (!parsed.success || parsed.data.metadata.name !== name) throw invalidAnswer(what);
  return parsed.data;
};

const canExist = (name: string): boolean =>
  objectName.test(name) && !name.includes('..') && name.length <= 253;
