import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';

import { parse } from 'yaml';

import { instanceConditionTypes, instancePhases, instanceSpecShape } from '../../src/api/instance.ts';
import { tenantConditionTypes, tenantPhases, tenantSpecShape } from '../../src/api/tenant.ts';
import { reasons } from '../../src/domain/reasons.ts';
import { confirmations } from '../../src/generate/confirmations.ts';
import { credentialKeys } from '../../src/generate/credential-keys.ts';
import { recordDataOf } from '../../src/openbao/record.ts';
import { Secret } from '../../src/secret.ts';
import type { KubeObject } from '../world/kubernetes/client.ts';

const text = await readFile(new URL('../../docs/api-reference.md', import.meta.url), 'utf8');

/** From a heading to the next one of its level or above. */
function section(heading: string): string {
  const start = text.indexOf(`\n${heading}\n`);
  assert.notEqual(start, -1, `no ${heading}`);
  const level = heading.indexOf(' ');
  const rest = text.slice(start + heading.length + 2);
  const end = rest.search(new RegExp(`^#{2,${level}} `, 'm'));
  return end === -1 ? rest : rest.slice(0, end);
}

const firstCells = (markdown: string): string[] =>
  Array.from(markdown.matchAll(/^\| `([^`]+)`/gm), ([, cell]) => cell!);

const exampleObjects = Array.from(
  text.matchAll(/```yaml\n([^]*?)```/g),
  ([, yaml]) => parse(yaml!) as KubeObject,
);
const [tenantMinimal, tenantFull, instanceMinimal, instanceFull] = exampleObjects;

test('the examples are a minimal and a full object of each kind, valid by the zod shapes', () => {
  assert.equal(exampleObjects.length, 4);
  for (const example of [tenantMinimal, tenantFull]) {
    assert.equal(example?.kind, 'PostgreSQLTenant');
    tenantSpecShape.strict().parse(example.spec);
  }
  for (const example of [instanceMinimal, instanceFull]) {
    assert.equal(example?.kind, 'PostgreSQLInstance');
    instanceSpecShape.strict().parse(example.spec);
  }
});

test('the minimal examples have nothing but what is required, the full ones every field', () => {
  assert.deepEqual(Object.keys(tenantMinimal?.spec ?? {}), ['instanceRef']);
  assert.deepEqual(Object.keys(instanceMinimal?.spec ?? {}), ['host', 'managementSecretRef']);
  assert.deepEqual(Object.keys(tenantFull?.spec ?? {}).sort(), Object.keys(tenantSpecShape.shape).sort());
  assert.deepEqual(Object.keys(instanceFull?.spec ?? {}).sort(), Object.keys(instanceSpecShape.shape).sort());
});

test('every phase, condition and reason is explained, in order', () => {
  assert.deepEqual(firstCells(section('### PostgreSQLTenant: phases')), [...tenantPhases]);
  assert.deepEqual(firstCells(section('### PostgreSQLTenant: conditions')), [...tenantConditionTypes]);
  assert.deepEqual(firstCells(section('### PostgreSQLInstance: phases')), [...instancePhases]);
  assert.deepEqual(firstCells(section('### PostgreSQLInstance: conditions')), [...instanceConditionTypes]);
  assert.deepEqual(firstCells(section('## Reasons')), Object.keys(reasons));
});

test('the reference says how each field may change', () => {
  const laterOf = (kind: string, path: string): string | undefined =>
    section(`### ${kind}: spec`)
      .split('\n')
      .find((line) => line.startsWith(`| \`${path}\``))
      ?.split('|')[5]
      ?.trim();
  for (const path of ['instanceRef', 'instanceRef.name', 'databaseName', 'roleName', 'extensions[].schema'])
    assert.equal(laterOf('PostgreSQLTenant', path), 'immutable', path);
  assert.equal(laterOf('PostgreSQLTenant', 'extensions'), 'append only');
  assert.equal(laterOf('PostgreSQLTenant', 'deletionPolicy'), 'may change');
  assert.equal(laterOf('PostgreSQLInstance', 'managementDatabase'), 'immutable');
  assert.equal(laterOf('PostgreSQLInstance', 'hostAddress'), 'may change');
});

test('a loss that can be confirmed is one that does not mend itself', () => {
  for (const reason of Object.keys(confirmations))
    assert.equal(reasons[reason as keyof typeof reasons].stalled, true, reason);
});

test('the keys of the record are those that are written, and optional where they are left out', () => {
  const record = {
    type: 'postgresql',
    provider: 'postgresql-tenant-operator',
    host: 'pg.example.internal',
    hostaddr: '',
    port: '5432',
    database: 'orders',
    username: 'orders',
    sslmode: 'verify-full',
    certificates: '',
    rotation: '',
  } as const;
  const keysOf = (given: object): string[] =>
    Object.keys(
      recordDataOf({ record: { ...record, ...given }, password: new Secret('a'.repeat(32)) }),
    ).sort();
  const documented = Object.entries(credentialKeys);
  const always = documented.filter(([, { presence }]) => presence === 'always').map(([key]) => key);
  assert.deepEqual(always.sort(), keysOf({}));
  const full = keysOf({ hostaddr: '192.0.2.1', certificates: 'PEM', rotation: 'x' });
  assert.deepEqual(documented.map(([key]) => key).sort(), full);
});
