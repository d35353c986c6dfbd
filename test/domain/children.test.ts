import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { ObservedExternalSecret } from '../../src/api/external-secret.ts';
import { desiredChild, isOrphaned, pinOf, saysAll, secretName } from '../../src/domain/children.ts';
import { newestPin } from '../../src/domain/child-checks.ts';
import { externalSecret, live, lost, ready, settings, wish, withCredential } from './worlds.ts';

const pin = { version: 7, createdAt: '2026-01-01T00:00:00Z' };
const desired = desiredChild(wish, settings, pin, null);

test('children: the whole ExternalSecret, every field that would be defaulted written out', () => {
  const managed = { 'app.kubernetes.io/managed-by': 'postgresql-tenant-operator' };
  assert.deepEqual(desired, {
    apiVersion: 'external-secrets.io/v1',
    kind: 'ExternalSecret',
    metadata: { name: 'orders-postgresql', namespace: 'shop', labels: managed },
    spec: {
      refreshPolicy: 'Periodic',
      refreshInterval: '1h0m0s',
      secretStoreRef: { kind: 'ClusterSecretStore', name: 'openbao' },
      target: {
        name: 'orders-postgresql',
        creationPolicy: 'Owner',
        deletionPolicy: 'Retain',
        immutable: false,
        template: {
          engineVersion: 'v2',
          mergePolicy: 'Merge',
          type: 'servicebinding.io/postgresql',
          metadata: {
            labels: managed,
            annotations: { 'pgtenancy.io/credential-created': '2026-01-01T00:00:00Z' },
          },
        },
      },
      dataFrom: [
        {
          extract: {
            key: 'prod/shop/orders/uid-tenant',
            version: '7',
            conversionStrategy: 'Default',
            decodingStrategy: 'None',
            metadataPolicy: 'None',
          },
        },
      ],
    },
  });
});

test('children: the longest Tenant name leaves room for the suffix', () => {
  assert.ok(secretName('a'.repeat(200)).length <= 253);
});

test('children: what is written can be read back', () => {
  assert.deepEqual(pinOf(externalSecret(pin)), pin);
});

const spec = (version: unknown, createdAt: unknown) => ({
  target: { template: { metadata: { annotations: { 'pgtenancy.io/credential-created': createdAt } } } },
  dataFrom: [{ extract: { version } }],
});

const unreadable: readonly (readonly [sentence: string, spec: Record<string, unknown>])[] = [
  ['an empty spec', {}],
  ['a version that is not a number', spec('latest', 't')],
  ['no version', spec(undefined, 't')],
  ['version 0', spec('0', 't')],
  ['a negative version', spec('-1', 't')],
  ['half a version', spec('1.5', 't')],
  ['a version beyond all numbers', spec('9007199254740993', 't')],
  ['no time', spec('1', undefined)],
  ['a time that is not text', spec('1', 5)],
  ['dataFrom that is not a list', { ...spec('1', 't'), dataFrom: 'x' }],
  ['an empty dataFrom', { ...spec('1', 't'), dataFrom: [] }],
  ['a target that is null', { ...spec('1', 't'), target: null }],
];

for (const [sentence, given] of unreadable) {
  test(`children: ${sentence} is no pin`, () =>
    assert.equal(pinOf(externalSecret(pin, { spec: given })), null));
}

/** As a newer External Secrets could leave it. */
const newer = (extract: Record<string, unknown>) =>
  externalSecret(pin, {
    spec: {
      ...desired.spec,
      paused: false,
      dataFrom: [{ extract: { ...extractOf(desired.spec), ...extract } }],
    },
  });

const extractOf = (from: Readonly<Record<string, unknown>>) =>
  (from['dataFrom'] as { extract: Record<string, unknown> }[])[0]!.extract;

test('children: a field of extract that we do not know is repeated, so that no sync finds a difference', () => {
  const observed = newer({ nullBytePolicy: 'Ignore' });
  const next = desiredChild(wish, settings, pin, observed);
  assert.equal(extractOf(next.spec)['nullBytePolicy'], 'Ignore');
  assert.ok(saysAll(observed, next));
  assert.deepEqual(desiredChild(wish, settings, pin, newer(extractOf(next.spec))), next);
});

test('children: an unknown field never wins over ours', () => {
  const next = desiredChild(wish, settings, pin, newer({ key: 'prod/shop/other/uid', version: '1' }));
  assert.deepEqual(extractOf(next.spec), extractOf(desired.spec));
});

test('children: a property would cut the record down to one field, so it is not repeated', () => {
  const observed = newer({ property: 'password' });
  const next = desiredChild(wish, settings, pin, observed);
  assert.ok(!('property' in extractOf(next.spec)));
  assert.ok(!saysAll(observed, next));
});

test('children: an observed object that makes no sense adds nothing', () => {
  for (const dataFrom of ['x', [], [null], [{ extract: 'x' }], [{ extract: [1] }]]) {
    const observed = externalSecret(pin, { spec: { dataFrom } });
    assert.deepEqual(desiredChild(wish, settings, pin, observed), desired);
    assert.ok(!saysAll(observed, desired));
  }
});

// prettier-ignore
const differences: readonly (readonly [sentence: string, change: Record<string, unknown>, same: boolean])[] = [
  ['the same', {}, true],
  ['one more field beside ours', { paused: false }, true],
  ['another interval', { refreshInterval: '1s' }, false],
  ['another store', { secretStoreRef: { kind: 'SecretStore', name: 'openbao' } }, false],
  ['a store with one more field', { secretStoreRef: { kind: 'ClusterSecretStore', name: 'openbao', more: 1 } }, true],
  ['a store that is a word', { secretStoreRef: 'openbao' }, false],
  ['a second source', { dataFrom: [{ extract: extractOf(desired.spec) }, { extract: { key: 'more' } }] }, false],
  ['no source', { dataFrom: [] }, false],
];

for (const [sentence, change, same] of differences) {
  test(`children: an observed spec with ${sentence} says ${same ? 'all' : 'not all'} of ours`, () => {
    assert.equal(saysAll(externalSecret(pin, { spec: { ...desired.spec, ...change } }), desired), same);
  });
}

const unowned = (change: object = {}, spec: object = desired.spec) =>
  externalSecret(pin, { metadata: { ...externalSecret().metadata, ...change }, spec: { ...spec } });
const controlled = (uid: string) => ({ ownerReferences: [{ uid, controller: true }] });

// prettier-ignore
const orphans: readonly (readonly [sentence: string, observed: ObservedExternalSecret, orphaned: boolean])[] = [
  ['that reads our record and nobody controls', unowned(), true],
  ['that reads our record and is merely owned', unowned({ ownerReferences: [{ uid: 'x' }] }), true],
  ['that bears our label, whatever it reads', unowned({ labels: { 'controller-uid': wish.uid } }, {}), true],
  ['that somebody controls', unowned(controlled('uid-other')), false],
  ['of another Tenant', unowned({ labels: { 'controller-uid': 'uid-other' } }, { dataFrom: [{ extract: { key: 'prod/shop/orders/uid-other' } }] }), false],
  ['that reads nothing we know', unowned({ labels: undefined }, { dataFrom: [{ extract: { key: 1 } }] }), false],
];

for (const [sentence, observed, orphaned] of orphans) {
  test(`children: an ExternalSecret ${sentence} is ${orphaned ? 'an orphan of ours' : 'none of ours'}`, () => {
    assert.equal(isOrphaned(wish.uid, observed), orphaned);
  });
}

test('children: the newest pin is that of a live record only', () => {
  assert.deepEqual(newestPin(ready()), { version: live.version, createdAt: live.createdAt });
  assert.equal(newestPin(withCredential(ready(), { kind: 'deleted', version: 1 })), null);
  assert.equal(newestPin(withCredential(ready(), { kind: 'absent' })), null);
  assert.equal(newestPin(ready({ credential: lost })), null);
});
