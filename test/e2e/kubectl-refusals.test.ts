import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';

import type { ControlPlane } from '../control-plane/control-plane.ts';
import { namespaces } from '../world/kubernetes/resources.ts';
import { type Kubectl, kubectlWith } from './kubectl.ts';
import { startRealKinds } from './real-kinds.ts';

/* What the API server itself refuses, in the words that a person reads; no operator is needed for that. */

let plane: ControlPlane;
let kubectl: Kubectl;
before(async () => {
  plane = await startRealKinds();
  kubectl = kubectlWith(plane.kubeconfig);
  await plane.kube.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } });
  await kubectl.ok('apply -f examples/tenant-full.yaml -f examples/instance-full.yaml');
});
after(() => plane.close());

const example = (name: string): Promise<string> =>
  readFile(new URL(`../../examples/${name}.yaml`, import.meta.url), 'utf8');

/** The example with one line put in place of another. */
async function edited(name: string, line: string | RegExp, instead: string): Promise<string> {
  const text = await example(name);
  assert.match(text, new RegExp(line));
  return text.replace(line, instead);
}

const tenantIsInvalid = (field: string, sentence: string): string =>
  `The PostgreSQLTenant "billing" is invalid: ${field}: Invalid value: ${sentence}`;
const immutable = (field: string): string => `${field} is immutable; create another Tenant`;
const appendOnly =
  'extensions may only be appended to; leave the listed ones as they are, or create another Tenant';

const changes: readonly [string, string, string, string][] = [
  [
    'databaseName',
    '  databaseName: billing',
    '  databaseName: other',
    tenantIsInvalid('spec', immutable('databaseName')),
  ],
  [
    'databaseName, taken away',
    '  databaseName: billing',
    '',
    tenantIsInvalid('spec', immutable('databaseName')),
  ],
  [
    'roleName',
    '  roleName: billing_app',
    '  roleName: other',
    tenantIsInvalid('spec', immutable('roleName')),
  ],
  [
    'instanceRef',
    '    name: pg-main',
    '    name: pg-other',
    tenantIsInvalid('spec.instanceRef', immutable('instanceRef')),
  ],
  ['an extension, taken away', '    - name: citext', '', tenantIsInvalid('spec', appendOnly)],
  ['the version of an extension', "'1.3'", "'1.4'", tenantIsInvalid('spec', appendOnly)],
];

for (const [what, line, instead, complaint] of changes)
  test(`An apply that changes what may not change, ${what}, is refused with the way out`, async () => {
    const input = await edited('tenant-full', line, instead);
    assert.equal(await kubectl.refused('apply -f -', { input }), complaint);
    assert.equal(await kubectl.refused('apply -f - --dry-run=server', { input }), complaint);
  });

test('A merge patch and a JSON patch are refused with the same words', async () => {
  const patches: readonly [string, string, string][] = [
    ['merge', '{"spec":{"databaseName":"other"}}', immutable('databaseName')],
    ['merge', '{"spec":{"extensions":[{"name":"citext"}]}}', appendOnly],
    ['json', '[{"op":"remove","path":"/spec/extensions/0"}]', appendOnly],
    ['json', '[{"op":"remove","path":"/spec/roleName"}]', immutable('roleName')],
  ];
  for (const [type, patch, sentence] of patches)
    assert.equal(
      await kubectl.refused(`patch pgt billing -n shop --type=${type} -p '${patch}'`),
      tenantIsInvalid('spec', sentence),
    );
});

test('kubectl edit opens the file again with the sentence on top', async () => {
  // The second time the editor leaves the file as it finds it, and kubectl gives up.
  const env = { KUBE_EDITOR: `sed -i 's/roleName: billing_app/roleName: other/'`, TMPDIR: plane.folder };
  const complaint = await kubectl.refused('edit pgt billing -n shop', { env });
  const [, file = ''] = /stored to "([^"]+)"/.exec(complaint) ?? [];
  const opened = await readFile(file, 'utf8');
  assert.match(opened, /^# postgresqltenants\.pgtenancy\.io "billing" was not valid:$/m);
  assert.ok(opened.includes(`# * spec: Invalid value: ${immutable('roleName')}\n`), opened.slice(0, 2_000));
});

test('Every change that is allowed goes through kubectl edit', async () => {
  const env = { KUBE_EDITOR: `sed -i 's/connectionLimit: 20/connectionLimit: 30/'`, TMPDIR: plane.folder };
  assert.match(await kubectl.ok('edit pgt billing -n shop', { env }), /billing edited/);
  const limit = await kubectl.ok(`get pgt billing -n shop -o jsonpath={.spec.connectionLimit}`);
  assert.equal(limit, '30');
});

test('A reserved name is refused with the reason, and so is one that is no name', async () => {
  const reserved = await edited('tenant-full', '  databaseName: billing', '  databaseName: postgres');
  const input = reserved.replace('  name: billing', '  name: other');
  assert.equal(
    await kubectl.refused('apply -f -', { input }),
    'The PostgreSQLTenant "other" is invalid: spec.databaseName: Invalid value: "postgres": is reserved by PostgreSQL, by a provider or by this operator; choose another name',
  );
  assert.match(
    await kubectl.refused('apply -f -', {
      input: input.replace('databaseName: postgres', 'databaseName: My-DB'),
    }),
    /spec\.databaseName in body should match '\^\[a-z\]\[a-z0-9_\]\*\$'/,
  );
});

test('A field that does not exist is refused by its name', async () => {
  const input = await edited('tenant-full', '  databaseName:', '  databasename:');
  assert.match(await kubectl.refused('apply -f -', { input }), /unknown field "spec\.databasename"/);
});

test('What may not change of an Instance is refused with the way out', async () => {
  const refusals: readonly [string, string, string][] = [
    [
      '  managementDatabase: pgtenancy',
      '  managementDatabase: other',
      'spec.managementDatabase: Invalid value: "other": managementDatabase is immutable, the registry lives there; create another Instance',
    ],
    [
      '    mode: verify-full',
      '    mode: require',
      'spec.tls: Invalid value: caBundle is for mode verify-ca or verify-full; take it out, or set one of these',
    ],
  ];
  for (const [line, instead, complaint] of refusals)
    assert.equal(
      await kubectl.refused('apply -f -', { input: await edited('instance-full', line, instead) }),
      `The PostgreSQLInstance "pg-reports" is invalid: ${complaint}`,
    );
});
