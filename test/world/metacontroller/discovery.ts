import { z } from 'zod';

import type { KubeClient, KubeObject, Resource } from '../kubernetes/client.ts';
import { crds } from '../kubernetes/resources.ts';

/** What the API server's discovery says about a resource. */
export interface ResourceKind {
  resource: Resource;
  apiVersion: string;
  kind: string;
  namespaced: boolean;
  /** It has the subresource `status`. */
  hasStatus: boolean;
}

const crdSpec = z.object({
  group: z.string(),
  scope: z.enum(['Namespaced', 'Cluster']),
  names: z.object({ kind: z.string(), plural: z.string() }),
  versions: z.array(
    z.object({
      name: z.string(),
      served: z.boolean().default(true),
      subresources: z.object({ status: z.unknown() }).partial().optional(),
    }),
  ),
});

const coreKinds: readonly ResourceKind[] = [
  { plural: 'namespaces', kind: 'Namespace', namespaced: false },
  { plural: 'secrets', kind: 'Secret', namespaced: true },
  { plural: 'configmaps', kind: 'ConfigMap', namespaced: true },
].map(({ plural, kind, namespaced }) => ({
  resource: { group: '', version: 'v1', plural },
  apiVersion: 'v1',
  kind,
  namespaced,
  hasStatus: false,
}));

/** Finds kinds by reading their CustomResourceDefinitions (and a few core kinds by heart). Both methods throw when there is none. */
export class Discovery {
  readonly #client: KubeClient;

  constructor(client: KubeClient) {
    this.#client = client;
  }

  async ofResource(apiVersion: string, plural: string): Promise<ResourceKind> {
    const core = coreKinds.find((kind) => kind.apiVersion === apiVersion && kind.resource.plural === plural);
    if (core !== undefined) return core;
    const [group = ''] = apiVersion.split('/');
    const crd = await this.#client.get(crds, `${plural}.${group}`);
    const found = crd === undefined ? [] : kindsOf(crd);
    return pick(found, apiVersion, `resource ${plural} in apiVersion ${apiVersion}`);
  }

  async ofKind(apiVersion: string, kind: string): Promise<ResourceKind> {
    const { items } = await this.#client.list(crds);
    const all = [...coreKinds, ...items.flatMap(kindsOf)];
    return pick(
      all.filter((found) => found.kind === kind),
      apiVersion,
      `kind ${kind} in apiVersion ${apiVersion}`,
    );
  }
}

const pick = (found: readonly ResourceKind[], apiVersion: string, wanted: string): ResourceKind => {
  const match = found.find((kind) => kind.apiVersion === apiVersion);
  if (match === undefined) throw new Error(`discovery: can't find ${wanted}`);
  return match;
};

const kindsOf = (crd: KubeObject): ResourceKind[] => {
  const { group, scope, names, versions } = crdSpec.parse(crd.spec);
  return versions
    .filter(({ served }) => served)
    .map(({ name, subresources }) => ({
      resource: { group, version: name, plural: names.plural },
      apiVersion: `${group}/${name}`,
      kind: names.kind,
      namespaced: scope === 'Namespaced',
      hasStatus: subresources?.status !== undefined,
    }));
};
