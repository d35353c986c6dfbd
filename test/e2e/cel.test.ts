import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { instanceKind, tenantKind } from '../../src/generate/kinds.ts';
import { instanceOf, tenantOf } from '../api/installed-crds.ts';
import { instanceRuleCases } from '../api/instance-rule-cases.ts';
import { testRules } from '../api/rule-table.ts';
import { testSchema } from '../api/schema-tests.ts';
import { tenantRuleCases } from '../api/tenant-rule-cases.ts';
import type { ControlPlane } from '../control-plane/control-plane.ts';
import type { KubeObject } from '../world/kubernetes/client.ts';
import { crds, instances, tenants } from '../world/kubernetes/resources.ts';
import { lendReal, startRealKinds } from './real-kinds.ts';

/* The tables of test/api, on the real API server: what its CEL and its schemas do is what counts. */

let plane: ControlPlane;
before(async () => (plane = await startRealKinds()));
after(() => plane.close());

const lend = lendReal(() => plane);

test('the tables have every rule that the API server has stored', async () => {
  const stored = (await plane.kube.list(crds)).items.flatMap((crd) => messagesIn(crd.spec));
  const tried = [...instanceRuleCases, ...tenantRuleCases].map(({ message }) => message);
  assert.ok(stored.length > 0);
  assert.deepEqual(stored.sort(), tried.sort());
});

testRules({ kind: instanceKind, resource: instances, objectOf: instanceOf, table: instanceRuleCases, lend });
testRules({ kind: tenantKind, resource: tenants, objectOf: tenantOf, table: tenantRuleCases, lend });
testSchema(lend);

/** The messages of all rules, wherever they stand. */
function messagesIn(node: KubeObject['spec'] | unknown[]): unknown[] {
  return Object.entries(node ?? {}).flatMap(([key, value]) => {
    if (key === 'x-kubernetes-validations')
      return (value as { message: string }[]).map((rule) => rule.message);
    return typeof value === 'object' && value !== null ? messagesIn(value as Record<string, unknown>) : [];
  });
}
