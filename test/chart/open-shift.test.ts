import assert from 'node:assert/strict';
import { test } from 'node:test';

import { only, render, type Rendered, withValues } from './chart.ts';
import { podOf, podShape } from './pod.ts';

/* OpenShift gives each namespace its own ids, and admits no Pod that asks for others. */

const served = ['--api-versions', 'security.openshift.io/v1'];
const idsOf = ({ securityContext }: ReturnType<typeof podOf>) =>
  [securityContext.runAsUser, securityContext.runAsGroup, securityContext.fsGroup].filter(Boolean);

const idsIn = (objects: readonly Rendered[]) => [
  ...idsOf(podOf(only(objects, 'Deployment'))),
  ...idsOf(podShape.parse(only(objects, 'Pod')['spec'])),
];

const asked = Array<number>(6).fill(65532);

for (const [title, args, ids] of [
  ['elsewhere the Pods ask for ids', [], asked],
  ['on OpenShift they ask for none', served, []],
  ['unless they are said to be allowed', [...served, '--set', 'openShift=never'], asked],
  ['where nobody knows the cluster it can be said', ['--set', 'openShift=always'], []],
] as const)
  test(title, async () => {
    assert.deepEqual(idsIn(await render(withValues('minimal', ...args))), ids);
  });
