import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { ourCrds } from '../api/installed-crds.ts';
import type { ControlPlane } from '../control-plane/control-plane.ts';
import { eventually } from '../world/metacontroller/eventually.ts';
import { type Kubectl, kubectlWith } from './kubectl.ts';
import { startRealKinds } from './real-kinds.ts';

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly description?: string;
}

let plane: ControlPlane;
let kubectl: Kubectl;
before(async () => {
  plane = await startRealKinds();
  kubectl = kubectlWith(plane.kubeconfig);
  // A kind is described a moment after it is served.
  for (const kind of ['pgi', 'pgt']) await eventually(() => kubectl.ok(`explain ${kind}`), 30_000);
});
after(() => plane.close());

test('kubectl explain describes every field of both kinds', async () => {
  for (const { spec } of await ourCrds()) {
    const { names, versions } = spec as {
      names: { shortNames: [string] };
      versions: [{ schema: { openAPIV3Schema: Schema } }];
    };
    for (const [path, properties] of objectsIn(versions[0].schema.openAPIV3Schema, names.shortNames[0])) {
      const explained = (await kubectl.ok(`explain ${path}`)).replaceAll(/\s+/g, ' ');
      assert.ok(!explained.includes('<no description>'), explained);
      for (const [name, { description = '' }] of Object.entries(properties))
        // The API server has words of its own for what every kind has.
        if (!['apiVersion', 'kind', 'metadata'].includes(name)) {
          assert.notEqual(description, '', `${path}.${name}`);
          assert.ok(explained.includes(description), `${path}.${name}: ${explained}`);
        }
    }
  }
});

/** Every object below, itself included, by the path that `explain` takes. */
function objectsIn(node: Schema, path: string): [string, NonNullable<Schema['properties']>][] {
  const inner = node.items ?? node;
  if (inner.properties === undefined) return [];
  return [
    [path, inner.properties],
    ...Object.entries(inner.properties).flatMap(([name, property]) => objectsIn(property, `${path}.${name}`)),
  ];
}
