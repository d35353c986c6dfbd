import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { metacontrollerBinary } from '../control-plane/metacontroller-process.ts';
import { imageFolder } from '../image/image-folder.ts';
import type { Image } from '../image/image.ts';
import { conditionOf, conditionsOf } from '../scenarios/conditions.ts';
import { type PlatformServers, startPlatformServers } from '../world/platform-servers.ts';
import { closable } from '../world/servers/closable.ts';
import { waitFor } from '../world/servers/wait-for.ts';
import { startYard, type Yard } from './install-order/yard.ts';

/* The parts of an installation arrive in any order, or not at all: what is seen meanwhile, and that it heals by itself. */

let servers: PlatformServers & { close(): Promise<void> };
let image: Image;
before(async () => {
  servers = await closable((atEnd) => startPlatformServers({ openBao: 'server' }, atEnd, () => undefined));
  image = await imageFolder();
});
after(() => servers.close());

let yards = 0;
async function withYard(use: (yard: Yard) => Promise<void>): Promise<void> {
  yards += 1;
  const yard = await startYard({ servers, image, id: `y${yards}` });
  await use(yard).finally(() => yard.close());
}

/** Waits until a condition of a Tenant is as `holds` says. @throws Error with all of its conditions */
async function untilTenant(
  yard: Yard,
  name: string,
  wanted: { readonly type: string; readonly status: string; readonly reason?: string },
): Promise<string> {
  let last: Awaited<ReturnType<Yard['tenant']>>;
  const found = await waitFor(
    `Tenant ${name} to say ${JSON.stringify(wanted)}`,
    async () => {
      last = await yard.tenant(name);
      const said = conditionOf(last, wanted.type);
      const matches = said?.status === wanted.status && said.reason === (wanted.reason ?? said.reason);
      return matches ? said : undefined;
    },
    { timeoutMs: 90_000, everyMs: 100 },
  ).catch((error: unknown) => {
    const said = JSON.stringify(conditionsOf(last));
    throw new Error(`${String(error)}: ${said}\n${yard.kubelet.log().slice(-3_000)}`, { cause: error });
  });
  return found.message;
}

const untilReady = (yard: Yard, name: string): Promise<string> =>
  untilTenant(yard, name, { type: 'Ready', status: 'True' });

/** Changes when a Pod is replaced. */
async function podsOf({ kubectl }: Yard): Promise<string> {
  return kubectl.ok("get pods -n postgresql-tenant-operator -o jsonpath='{.items[*].metadata.uid}'");
}

/** On the Tenants' CompositeController; the stand-in for Metacontroller writes none there. */
async function requireEvent({ kubectl }: Yard, text: string): Promise<void> {
  if (metacontrollerBinary() === undefined) return sleep(2_000);
  await waitFor(
    'the Event on the CompositeController',
    async () => (await kubectl.ok('describe compositecontroller postgresqltenant-controller')).includes(text),
    { timeoutMs: 60_000, everyMs: 500 },
  );
}

type Part = 'chart' | 'metacontroller' | 'externalSecrets';
/** The two other ones are those of the tests below in which one part is awaited. */
const orders: readonly (readonly Part[])[] = [
  ['metacontroller', 'externalSecrets', 'chart'],
  ['externalSecrets', 'metacontroller', 'chart'],
  ['chart', 'metacontroller', 'externalSecrets'],
  ['chart', 'externalSecrets', 'metacontroller'],
];

for (const order of orders)
  test(`in the order ${order.join(', ')} a Tenant that is there from the first moment on becomes Ready`, () =>
    withYard(async (yard) => {
      let notes = '';
      for (const part of order) {
        if (part !== 'chart') {
          await yard[part]();
          continue;
        }
        notes = await yard.chart();
        await yard.createInstance();
        await yard.createTenant('orders');
      }
      const asksForUpgrade = notes.includes('UNTIL YOU RUN `helm upgrade` ONCE MORE');
      assert.equal(asksForUpgrade, order.indexOf('metacontroller') > order.indexOf('chart'));
      if (asksForUpgrade) assert.doesNotMatch(await yard.chart('upgrade'), /ONCE MORE|MISSING/);
      await untilReady(yard, 'orders');
    }));

test('Without Metacontroller nothing happens, and helm says so; it begins with Metacontroller and one helm upgrade', () =>
  withYard(async (yard) => {
    await yard.externalSecrets();
    const notes = await yard.chart();
    assert.match(
      notes,
      /NOTHING WILL HAPPEN TO ANY TENANT OR INSTANCE UNTIL YOU RUN `helm upgrade` ONCE MORE/,
    );
    assert.match(notes, /this cluster has no Metacontroller \(metacontroller\.k8s\.io\/v1alpha1\)/);
    await yard.kubectl.ok(
      'rollout status -n postgresql-tenant-operator deployment/postgresql-tenant-operator --timeout=60s',
    );
    const before = await podsOf(yard);
    await yard.createInstance();
    await yard.createTenant('orders');
    await sleep(2_000);
    assert.deepEqual(conditionsOf(await yard.tenant('orders')), []);
    await yard.metacontroller();
    await yard.chart('upgrade');
    await untilReady(yard, 'orders');
    assert.equal(await podsOf(yard), before);
  }));

test('Without External Secrets an Instance is Ready, the controller says what Tenants wait for, and goes on with it', () =>
  withYard(async (yard) => {
    await yard.metacontroller();
    assert.match(await yard.chart(), /MISSING: External Secrets \(external-secrets\.io\/v1\)/);
    await yard.createInstance();
    await yard.createTenant('orders');
    await yard.kubectl.ok('wait --for=condition=Ready postgresqlinstance/pg-main --timeout=60s');
    const before = await podsOf(yard);
    await requireEvent(yard, `can't find child resource "externalsecrets" in external-secrets.io/v1`);
    assert.deepEqual(conditionsOf(await yard.tenant('orders')), []);
    await yard.externalSecrets();
    await untilReady(yard, 'orders');
    assert.equal(await podsOf(yard), before);
  }));

test('Without OpenBao, or while it is sealed, a Tenant says so, and goes on when it is back', () =>
  withYard(async (yard) => {
    await servers.openBao.stop();
    await yard.metacontroller();
    await yard.externalSecrets();
    await yard.chart();
    await yard.createInstance();
    await yard.createTenant('early');
    const unreachable = { type: 'CredentialCreated', status: 'Unknown', reason: 'OpenBaoUnreachable' };
    assert.match(await untilTenant(yard, 'early', unreachable), /OpenBao/);
    const before = await podsOf(yard);
    await servers.openBao.start();
    await untilReady(yard, 'early');
    await servers.openBao.seal();
    await yard.createTenant('late');
    const sealed = { type: 'CredentialCreated', status: 'Unknown', reason: 'OpenBaoSealed' };
    assert.match(await untilTenant(yard, 'late', sealed), /sealed/);
    assert.equal(conditionOf(await yard.tenant('early'), 'Ready')?.status, 'True');
    await servers.openBao.unseal();
    await untilReady(yard, 'late');
    assert.equal(await podsOf(yard), before);
  }));
