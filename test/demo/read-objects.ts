import type { KubeObject } from '../world/kubernetes/client.ts';
import { yamlDocuments } from '../world/kubernetes/manifests.ts';
import { resourceOf } from '../world/manifests-in.ts';
import { Unusable } from './unusable.ts';

/** The objects of these files, in their order. @throws Unusable naming the file that cannot be used, and why */
export async function readObjects(files: readonly (string | URL)[]): Promise<KubeObject[]> {
  return (await Promise.all(files.map(readFile))).flat();
}

async function readFile(file: string | URL): Promise<KubeObject[]> {
  try {
    const objects = await yamlDocuments(file);
    if (objects.length === 0) throw new Error('there is no object in it');
    objects.forEach(check);
    return objects;
  } catch (error) {
    const [why = ''] = (error instanceof Error ? error.message : '').split('\n');
    throw new Unusable(`${String(file)}: ${why.replace(/:$/, '')}`, { cause: error });
  }
}

/** What `kubectl apply` refuses before it asks the API server; the rest is for the server to judge. */
function check(object: unknown): void {
  if (typeof object !== 'object' || object === null || Array.isArray(object)) {
    throw new Error('a document is not an object');
  }
  const { apiVersion, kind, metadata } = object as Partial<KubeObject>;
  if (typeof apiVersion !== 'string' || typeof kind !== 'string') {
    throw new Error('an object needs apiVersion and kind');
  }
  resourceOf(object as KubeObject);
  if (typeof metadata?.name !== 'string') throw new Error(`a ${kind} needs metadata.name`);
}
