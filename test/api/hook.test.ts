import assert from 'node:assert/strict';
import { test } from 'node:test';

import { externalSecretKey, observedExternalSecretShape } from '../../src/api/external-secret.ts';
import {
  instanceHookRequestShape,
  tenantCustomizeRequestShape,
  tenantHookRequestShape,
} from '../../src/api/hook.ts';
import { childKey, newState, readyInstance, tenantKey } from '../reconcile/model-state.ts';

const parent = newState({}).kubernetes.tenants[tenantKey];
const child = {
  apiVersion: 'external-secrets.io/v1',
  kind: 'ExternalSecret',
  metadata: { name: 'orders-postgresql', namespace: 'shop' },
  spec: {},
};

/** What Metacontroller sends, in its smallest form, with something changed. */
const body = (change: object = {}) => ({
  controller: {},
  parent,
  children: { [externalSecretKey]: { [childKey]: child } },
  related: {},
  finalizing: false,
  ...change,
});

const secretsOf = (objects: unknown) => body({ children: { [externalSecretKey]: objects } });
const childOf = (change: object) => secretsOf({ [childKey]: { ...child, ...change } });
const metadataOf = (change: object) => childOf({ metadata: { ...child.metadata, ...change } });
const parentOf = (change: object) => body({ parent: { ...parent, ...change } });

/** Each place in a request that holds a list or an object, with `[null]` and `null` put there. */
const nothings = [null, [null], [], 'text', 0].flatMap((nothing) =>
  [
    ['the body', nothing],
    ['controller', body({ controller: nothing })],
    ['parent', body({ parent: nothing })],
    ['the metadata of the parent', parentOf({ metadata: nothing })],
    ['the spec of the parent', parentOf({ spec: nothing })],
    ['children', body({ children: nothing })],
    ['the ExternalSecrets', secretsOf(nothing)],
    ['an ExternalSecret', secretsOf({ [childKey]: nothing })],
    ['another child', body({ children: { 'Secret.v1': { 'shop/other': nothing } } })],
    ['the metadata of an ExternalSecret', childOf({ metadata: nothing })],
    ['the spec of an ExternalSecret', childOf({ spec: nothing })],
    ['the labels of an ExternalSecret', metadataOf({ labels: nothing })],
    ['related', body({ related: nothing })],
    ['the related Instances', body({ related: { 'PostgreSQLInstance.pgtenancy.io/v1alpha1': nothing } })],
    [
      'a related Instance',
      body({ related: { 'PostgreSQLInstance.pgtenancy.io/v1alpha1': { main: nothing } } }),
    ],
    ['finalizing', body({ finalizing: nothing })],
  ].map((row) => [...row, nothing]),
) as [string, unknown, unknown][];

for (const [place, request, nothing] of nothings) {
  test(`${place} that is ${JSON.stringify(nothing)} is refused`, () => {
    assert.equal(tenantHookRequestShape.safeParse(request).success, false);
  });
}

const refused: readonly [sentence: string, request: unknown][] = [
  ['a key that no hook request has', body({ more: {} })],
  ['a parent of another kind', parentOf({ kind: 'PostgreSQLInstance' })],
  ['a parent of another version', parentOf({ apiVersion: 'pgtenancy.io/v1' })],
  ['a parent without a namespace', parentOf({ metadata: { name: 'orders', uid: 'u', generation: 1 } })],
  ['a parent whose name leads elsewhere', parentOf({ metadata: { ...parent?.metadata, name: '../x' } })],
  ['a parent whose UID is a statement', parentOf({ metadata: { ...parent?.metadata, uid: "';--" } })],
  ['a child without metadata', childOf({ metadata: undefined })],
  ['a child without a namespace', metadataOf({ namespace: undefined })],
  ['a child of another kind under our key', childOf({ kind: 'Secret' })],
  ['a child of another version under our key', childOf({ apiVersion: 'external-secrets.io/v1beta1' })],
  ['a child with another name than its key', metadataOf({ name: 'other-postgresql' })],
  ['a child in another namespace than its key', metadataOf({ namespace: 'other' })],
];

for (const [sentence, request] of refused) {
  test(`${sentence} is refused`, () => {
    assert.equal(tenantHookRequestShape.safeParse(request).success, false);
  });
}

const instance = readyInstance();
const thousands = Object.fromEntries(
  Array.from({ length: 5_000 }, (_, index) => [
    `shop/stray-${index}`,
    { ...child, metadata: { name: `stray-${index}`, namespace: 'shop' } },
  ]),
);

const accepted: readonly [sentence: string, request: unknown][] = [
  ['the smallest request', body()],
  ['no children at all', body({ children: {} })],
  ['a child whose spec was taken away', childOf({ spec: undefined })],
  ['children of kinds that were not asked for', body({ children: { 'Secret.v1': { 'shop/x': child } } })],
  ['thousands of children', secretsOf({ [childKey]: child, ...thousands })],
  [
    'a related object that is no Instance',
    body({ related: { 'Pod.v1': { x: { metadata: { name: 'x' } } } } }),
  ],
];

for (const [sentence, request] of accepted) {
  test(`${sentence} can be read`, () => {
    assert.deepEqual(tenantHookRequestShape.safeParse(request).error, undefined);
  });
}

const condition = { type: 'Ready', status: 'True', reason: 'Reached', message: '', lastTransitionTime: '' };
const nonsense: readonly [sentence: string, status: unknown][] = [
  ['no object', null],
  ['a list', [null]],
  ['a phase that there is not', { phase: 'Celebrating' }],
  ['a condition that is null', { phase: 'Ready', conditions: [null] }],
  ['a thousand conditions', { phase: 'Ready', conditions: Array.from({ length: 1_000 }, () => condition) }],
  ['a condition with a status of its own', { conditions: [{ ...condition, status: 'Maybe' }] }],
];

test('the status that the API server gives to a new object is read as it is, and names no phase', () => {
  const status = { observedGeneration: -1 };
  assert.deepEqual(tenantHookRequestShape.parse(parentOf({ status })).parent.status, status);
  const request = body({ parent: { ...instance, status }, children: {} });
  assert.deepEqual(instanceHookRequestShape.parse(request).parent.status, status);
});

for (const [sentence, status] of nonsense) {
  test(`a status with ${sentence} counts as lost`, () => {
    const tenant = tenantHookRequestShape.parse(parentOf({ status }));
    assert.equal(tenant.parent.status, undefined);
    const parsed = instanceHookRequestShape.parse(body({ parent: { ...instance, status }, children: {} }));
    assert.equal(parsed.parent.status, undefined);
    const request = tenantCustomizeRequestShape.parse({ controller: {}, parent: { ...parent, status } });
    assert.equal(request.parent.status, undefined);
  });
}

test('a Tenant is no Instance, and an Instance no Tenant', () => {
  assert.equal(instanceHookRequestShape.safeParse(body()).success, false);
  assert.equal(tenantHookRequestShape.safeParse(body({ parent: instance })).success, false);
  assert.equal(tenantCustomizeRequestShape.safeParse({ controller: {}, parent: instance }).success, false);
});

test('an ExternalSecret with an emptied spec and a status of nonsense can be read, so that it is put right', () => {
  const metadata = { ...child.metadata, uid: 'uid-child', generation: 1 };
  const read = observedExternalSecretShape.parse({
    ...child,
    metadata,
    spec: undefined,
    status: { conditions: 7 },
  });
  assert.deepEqual(read.spec, {});
  assert.equal(read.status, undefined);
});
