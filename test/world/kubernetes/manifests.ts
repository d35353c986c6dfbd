import { readFile } from 'node:fs/promises';

import { parseAllDocuments } from 'yaml';

import type { KubeObject } from './client.ts';

/** Every object in a YAML file of one or more documents; throws where one is not valid YAML. */
export async function yamlDocuments(file: string | URL): Promise<KubeObject[]> {
  const documents = parseAllDocuments(await readFile(file, 'utf8'));
  return [...documents].flatMap((document) => {
    const [error] = document.errors;
    if (error !== undefined) throw error;
    const object = document.toJS() as KubeObject | null;
    return object === null ? [] : [object];
  });
}

/** The CustomResourceDefinitions in these files, in their order; whatever else they hold is left out. */
export async function loadCrds(files: readonly (string | URL)[]): Promise<KubeObject[]> {
  const objects = await Promise.all(files.map(yamlDocuments));
  return objects.flat().filter(({ kind }) => kind === 'CustomResourceDefinition');
}

/** The CRDs of the systems around the operator: Metacontroller's CompositeController, External Secrets' kinds. */
export const foreignCrds: readonly URL[] = [
  'compositecontrollers.yaml',
  'externalsecrets.yaml',
  'secretstores.yaml',
  'clustersecretstores.yaml',
].map((name) => new URL(`crds/${name}`, import.meta.url));
