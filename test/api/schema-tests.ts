import assert from 'node:assert/strict';
import { test } from 'node:test';

import { instanceSpecShape, type InstanceStatus } from '../../src/api/instance.ts';
import { reservedNames } from '../../src/api/names.ts';
import { tenantSpecShape, type TenantStatus } from '../../src/api/tenant.ts';
import { instances, tenants } from '../world/kubernetes/resources.ts';
import { refusalOf } from '../world/kubernetes/test-api.ts';
import { instanceOf, tenantOf, type LendKinds } from './installed-crds.ts';

const refusals: readonly [string, ReturnType<typeof tenantOf>, RegExp][] = [
  ['a Tenant without a spec', { ...tenantOf({}), spec: undefined as never }, /spec: Required value/],
  ['a Tenant without an Instance', { ...tenantOf({}), spec: {} }, /spec\.instanceRef: Required value/],
  ['a databaseName in capitals', tenantOf({ databaseName: 'Orders' }), /spec\.databaseName: Invalid value/],
  [
    'a databaseName with a dash',
    tenantOf({ databaseName: 'my-orders' }),
    /spec\.databaseName: Invalid value/,
  ],
  ['an empty databaseName', tenantOf({ databaseName: '' }), /spec\.databaseName: Invalid value/],
  ['a roleName that begins with a digit', tenantOf({ roleName: '1st' }), /spec\.roleName: Invalid value/],
  ['a roleName of 64 characters', tenantOf({ roleName: 'r'.repeat(64) }), /spec\.roleName: Too long/],
  [
    'the same extension twice',
    tenantOf({ extensions: [{ name: 'citext' }, { name: 'citext' }] }),
    /spec\.extensions\[1\]: Duplicate value/,
  ],
  [
    '33 extensions',
    tenantOf({ extensions: Array.from({ length: 33 }, (_, index) => ({ name: `e${index}` })) }),
    /spec\.extensions: Too many/,
  ],
  [
    'an extension with a quote in its name',
    tenantOf({ extensions: [{ name: 'a"b' }] }),
    /spec\.extensions\[0\]\.name: Invalid value/,
  ],
  ['another deletionPolicy', tenantOf({ deletionPolicy: 'Drop' }), /spec\.deletionPolicy: Unsupported value/],
  ['a connectionLimit below -1', tenantOf({ connectionLimit: -2 }), /spec\.connectionLimit: Invalid value/],
  ['a host in capitals', instanceOf({ host: 'PG.example' }), /spec\.host: Invalid value/],
  [
    'a hostAddress that is a name',
    instanceOf({ hostAddress: 'pg.local' }),
    /spec\.hostAddress: Invalid value/,
  ],
  ['port 0', instanceOf({ port: 0 }), /spec\.port: Invalid value/],
  ['another TLS mode', instanceOf({ tls: { mode: 'prefer' } }), /spec\.tls\.mode: Unsupported value/],
  ['65 connections', instanceOf({ maxConnections: 65 }), /spec\.maxConnections: Invalid value/],
  [
    'a namespace twice',
    instanceOf({ allowedNamespaces: { names: ['a', 'a'] } }),
    /spec\.allowedNamespaces\.names\[1\]: Duplicate value/,
  ],
];

const condition = {
  type: 'Ready',
  status: 'True' as const,
  reason: 'Reached',
  message: '',
  lastTransitionTime: '2026-01-02T03:04:05Z',
  observedGeneration: 1,
};
const endpoint = { host: 'pg-main.example.internal', hostAddress: '192.0.2.1', port: 5432 };

/* `Required`: a status field that is added to the shape must be added here. */
const tenantStatus: Required<TenantStatus> = {
  phase: 'Ready',
  conditions: [condition],
  observedGeneration: 1,
  databaseName: 'shop_orders',
  roleName: 'shop_orders',
  endpoint,
  secretRef: { name: 'orders-postgresql' },
  binding: { name: 'orders-postgresql' },
  credential: { url: 'https://openbao.example.internal/v1/kv/data/orders', version: 3 },
  extensions: [{ name: 'citext', version: '1.6' }],
};
const instanceStatus: Required<InstanceStatus> = {
  phase: 'Ready',
  conditions: [condition],
  observedGeneration: 1,
  serverVersion: '17.10',
  systemIdentifier: '7400000000000000001',
  endpoint,
};

/** Declares the tests of what an API server makes of our shapes. */
export function testSchema(lend: LendKinds): void {
  test('the API server fills in the same defaults as the zod shapes', async () => {
    await lend(async (client) => {
      const tenant = await client.create(tenants, tenantOf({}));
      assert.deepEqual(tenant.spec, tenantSpecShape.parse(tenantOf({}).spec));
      assert.deepEqual(tenant.spec, {
        instanceRef: { name: 'pg-main' },
        deletionPolicy: 'Retain',
        connectionLimit: -1,
      });
      const instance = await client.create(instances, instanceOf({ tls: {} }));
      assert.deepEqual(instance.spec, instanceSpecShape.parse(instanceOf({}).spec));
      assert.deepEqual(instance.spec, {
        host: 'pg-main.example.internal',
        port: 5432,
        managementDatabase: 'postgres',
        tls: { mode: 'verify-full' },
        managementSecretRef: { name: 'pg-main-management', usernameKey: 'username', passwordKey: 'password' },
        maxConnections: 4,
      });
    });
  });

  test('every reserved name is refused for databaseName and roleName', async () => {
    await lend(async (client) => {
      for (const field of ['databaseName', 'roleName'])
        for (const name of reservedNames) {
          const refusal = await refusalOf(client.create(tenants, tenantOf({ [field]: name })));
          assert.match(refusal.message, new RegExp(`spec\\.${field}: Invalid value.*is reserved`));
        }
    });
  });

  test('what is out of bounds is refused when it is created', async (t) => {
    await lend(async (client) => {
      for (const [what, object, message] of refusals)
        await t.test(`${what} is refused`, async () => {
          const resource = object.kind === 'PostgreSQLTenant' ? tenants : instances;
          const refusal = await refusalOf(client.create(resource, object));
          assert.equal(refusal.code, 422);
          assert.match(refusal.message, message);
        });
    });
  });

  test('the API server keeps every field of a status, and adds none', async () => {
    await lend(async (client) => {
      const tenant = await client.create(tenants, tenantOf({}));
      const written = await client.updateStatus(tenants, { ...tenant, status: tenantStatus });
      assert.deepEqual(written.status, tenantStatus);
      const instance = await client.create(instances, instanceOf({}));
      const answered = await client.updateStatus(instances, { ...instance, status: instanceStatus });
      assert.deepEqual(answered.status, instanceStatus);
      const emptied = await client.updateStatus(instances, { ...answered, status: {} });
      assert.deepEqual(emptied.status, {});
    });
  });
}
