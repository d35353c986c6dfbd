import assert from 'node:assert/strict';
import { test } from 'node:test';

import { instanceWish, tenantWish } from '../../src/reconcile/wish.ts';
import { newTenant, readyInstance } from './model-state.ts';
import { without } from './without.ts';

const names: [sentence: string, spec: object, databaseName: string, roleName: string][] = [
  ['both left out: derived from namespace and name', {}, 'shop_orders', 'shop_orders'],
  ['only the database: the role is called like it', { databaseName: 'ledger' }, 'ledger', 'ledger'],
  ['only the role: the database is derived', { roleName: 'clerk' }, 'shop_orders', 'clerk'],
  ['both', { databaseName: 'ledger', roleName: 'clerk' }, 'ledger', 'clerk'],
];

for (const [sentence, spec, databaseName, roleName] of names) {
  test(`names, ${sentence}`, () => {
    const wish = tenantWish(newTenant(spec));
    assert.deepEqual([wish.databaseName, wish.roleName], [databaseName, roleName]);
  });
}

test('a minimal Tenant asks for what the defaults say', () => {
  assert.deepEqual(tenantWish(newTenant()), {
    ...{ uid: 'uid-tenant', namespace: 'shop', name: 'orders', generation: 1, instanceName: 'main' },
    ...{ databaseName: 'shop_orders', roleName: 'shop_orders', extensions: [], deletionPolicy: 'Retain' },
    ...{ connectionLimit: -1, rotation: '', confirm: undefined, registryLostSince: '' },
  });
});

test('a Tenant remembers since when its status tells of a lost row, and of nothing else', () => {
  const lastTransitionTime = '2026-02-01T00:00:00Z';
  const since = (reason: string) => {
    const told = {
      type: 'CredentialCreated',
      status: 'False',
      reason,
      message: '',
      lastTransitionTime,
    } as const;
    return tenantWish({ ...newTenant(), status: { conditions: [told] } }).registryLostSince;
  };
  assert.deepEqual([since('RegistryLost'), since('CredentialLost')], [lastTransitionTime, '']);
});

test('a full Tenant asks for what it says, with the word of a human', () => {
  const spec = {
    extensions: [{ name: 'hstore' }],
    deletionPolicy: 'Delete',
    connectionLimit: 5,
    credentialRotation: 'x',
  };
  const tenant = newTenant(spec);
  const annotated = {
    ...tenant,
    metadata: { ...tenant.metadata, annotations: { 'pgtenancy.io/confirm': 'token' } },
  };
  const wish = tenantWish(annotated);
  assert.deepEqual(
    [wish.extensions, wish.deletionPolicy, wish.connectionLimit, wish.rotation, wish.confirm],
    [[{ name: 'hstore' }], 'Delete', 5, 'x', 'token'],
  );
});

test('an Instance asks for its endpoint; an address that it has not is left out', () => {
  assert.deepEqual(instanceWish(readyInstance()).endpoint, { host: 'db.example.com', port: 5432 });
  const withAddress = instanceWish(readyInstance({ hostAddress: '192.0.2.1', port: 5433 }));
  assert.deepEqual(withAddress.endpoint, { host: 'db.example.com', hostAddress: '192.0.2.1', port: 5433 });
});

test('an Instance remembers which server it was by its status', () => {
  assert.equal(instanceWish(readyInstance()).recordedSystemIdentifier, '7000000000000000001');
  const fresh = without(readyInstance(), 'status');
  assert.equal(instanceWish(fresh).recordedSystemIdentifier, '');
});

test('an Instance remembers that there was a registry, also while a part of it is missed', () => {
  const had = (status: 'True' | 'False', reason: string) => {
    const told = {
      ...{ type: 'RegistryReady', status, reason, message: '' },
      lastTransitionTime: '2026-02-01T00:00:00Z',
    };
    return instanceWish({ ...readyInstance(), status: { conditions: [told] } }).hadRegistry;
  };
  assert.deepEqual(
    [
      had('True', 'Reached'),
      had('False', 'RegistryMissing'),
      had('False', 'RegistryLost'),
      had('False', 'Pending'),
    ],
    [true, true, true, false],
  );
});
