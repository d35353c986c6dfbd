import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { after, before, test } from 'node:test';

import { conditionOf } from '../../scenarios/conditions.ts';
import type { KubeObject } from '../../world/kubernetes/client.ts';
import { crds, instances, secrets, tenants } from '../../world/kubernetes/resources.ts';
import { type Block, blocksOf } from './page.ts';
import { type Site, startSite } from './site.ts';

/* docs/deployment.md, typed by somebody who does what it says and nothing else. */

const opensslMissing = existsSync('/usr/bin/openssl') ? false : 'this machine has no openssl';

const page = await blocksOf('docs/deployment.md');
const typed = page.filter(({ language }) => language === 'sh');
const migration = (await blocksOf('docs/migration.md')).filter(({ language }) => language === 'sh');
const sections = [...new Set(typed.map(({ heading }) => heading))];
/** The one section of another page that this one sends its reader to. */
const certificate = (await blocksOf('metacontroller/README.md')).filter(
  ({ heading, language }) => heading === "The hook's certificate" && language === 'sh',
);

let site: Site;
before(async () => {
  if (opensslMissing === false) site = await startSite();
});
after(async () => {
  if (opensslMissing === false) await site.close();
});

const type = async (text: string): Promise<string> =>
  site.terminal.run(site.here(text)).catch(async (error: unknown) => {
    throw new Error(`${String(error)}\n${await site.diagnosis()}`, { cause: error });
  });

const isReady = (object: KubeObject | undefined): boolean => conditionOf(object, 'Ready')?.status === 'True';

const isTenantReady = async (): Promise<boolean> =>
  isReady(await site.plane.kube.get(tenants, 'orders', 'shop'));

const ourCrds = async (): Promise<number> =>
  (await site.plane.kube.list(crds)).items.filter(({ metadata }) => metadata.name.endsWith('.pgtenancy.io'))
    .length;

const passwords: string[] = [];

async function notePassword(namespace: string, name: string): Promise<void> {
  const secret = await site.plane.kube.get(secrets, name, namespace);
  const password = Buffer.from(secret?.data?.['password'] ?? '', 'base64').toString();
  assert.ok(password.length >= 32);
  passwords.push(password);
}

/** What has to be true, by a line of the block that should have brought it about. */
const promises: Readonly<Record<string, (printed: string) => Promise<void> | void>> = {
  'show server_version': (printed) => assert.match(printed, /^\d\d\./m),
  'helm install postgresql-tenant-operator': (printed) =>
    assert.doesNotMatch(printed, /MISSING|WARNING|NOTHING WILL HAPPEN/),
  'helm test postgresql-tenant-operator': (printed) => {
    assert.match(printed, /Phase: +Succeeded/);
    assert.match(printed, /postgresqlinstance-controller[\s\S]*postgresqltenant-controller/);
    const pods = { 'app.kubernetes.io/instance': 'postgresql-tenant-operator' };
    assert.equal(site.kubelet.serving('postgresql-tenant-operator', pods).length, 2);
  },
  'kubectl apply -f installation/instance.yaml': async () => {
    assert.ok(isReady(await site.plane.kube.get(instances, 'pg-main')));
    await notePassword('postgresql-tenant-operator', 'pg-main-management');
  },
  'select current_user': async (printed) => {
    assert.ok(await isTenantReady());
    assert.match(printed, /shop_orders \| shop_orders/);
    await notePassword('shop', 'orders-postgresql');
  },
  'get configmaps --selector grafana_dashboard=1': (printed) => assert.match(printed, /-dashboard /),
  'wait --for=condition=Ready postgresqlinstances': async () => assert.ok(await isTenantReady()),
  'helm rollback': async () => assert.ok(await isTenantReady()),
  'helm uninstall': async () => {
    assert.deepEqual((await site.plane.kube.list(tenants)).items, []);
    assert.equal(await ourCrds(), 2);
  },
  'kubectl delete namespace': async () => assert.equal(await ourCrds(), 0),
  'kubectl apply -k metacontroller/': async () => {
    await type(`
      ${firstTenant('invoices')}
      kubectl delete postgresqltenants --all --all-namespaces --timeout=60s
      kubectl delete postgresqlinstances --all --timeout=60s`);
  },
  'kubectl delete compositecontrollers': async () => assert.equal(await ourCrds(), 0),
};

/** Steps 8 and 9 of the page, with another Tenant. */
const firstTenant = (name: string): string => `
  kubectl apply -f installation/instance.yaml
  kubectl wait --for=condition=Ready postgresqlinstance/pg-main --timeout=60s
  sed 's/orders/${name}/' examples/tenant-minimal.yaml | kubectl apply -f -
  kubectl -n shop wait --for=condition=Ready postgresqltenant/${name} --timeout=60s`;

/** A block, and before it what the page sends its reader away for. */
async function typeBlock({ text }: Block): Promise<string> {
  if (text.includes('cp ca.crt')) for (const block of certificate) await type(block.text);
  return type(text);
}

async function follow(block: Block): Promise<void> {
  const { text } = block;
  const printed = await typeBlock(block);
  const kept = Object.keys(promises).filter((line) => text.includes(line));
  for (const line of kept) await promises[line]?.(printed);
}

test('every block of the page is to be typed, or says that it is something else', () => {
  assert.ok(typed.length >= 20);
  assert.deepEqual([...new Set(page.map(({ language }) => language))].sort(), ['sh', 'yaml']);
  assert.equal(certificate.length, 2);
  for (const line of Object.keys(promises))
    assert.equal(typed.filter(({ text }) => text.includes(line)).length, 1, line);
});

/** Nothing that comes after a failure would say anything. */
let broken: string | undefined;
for (const section of sections)
  test(`what "${section}" says works as it stands there`, { skip: opensslMissing }, async () => {
    assert.equal(broken, undefined, 'what a section before this one says did not work');
    broken = section;
    for (const block of typed.filter(({ heading }) => heading === section)) await follow(block);
    broken = undefined;
  });

test(
  'an installation by hand becomes one of the chart, and its Tenants do not notice',
  {
    skip: opensslMissing,
  },
  async () => {
    assert.equal(broken, undefined, 'what docs/deployment.md says did not work');
    assert.equal(migration.length, 1);
    const byHand = typed.filter(({ heading }) => heading === 'Without Helm').slice(0, -1);
    for (const block of byHand) await typeBlock(block);
    await type(firstTenant('bills'));
    const { metadata, status: before } = (await site.plane.kube.get(tenants, 'bills', 'shop')) ?? {};
    const next = (metadata?.generation ?? 0) + 1;
    await type(migration[0]?.text ?? '');
    assert.match(
      await type('helm list --namespace postgresql-tenant-operator --short'),
      /^postgresql-tenant-operator$/m,
    );
    await type(`
    kubectl --namespace shop patch postgresqltenant bills --type=merge -p '{"spec":{"connectionLimit":7}}'
    kubectl --namespace shop wait --for=jsonpath='{.status.observedGeneration}'=${next} postgresqltenant/bills --timeout=60s
    kubectl --namespace shop wait --for=condition=Ready postgresqltenant/bills --timeout=60s`);
    const { credential, endpoint } = (await site.plane.kube.get(tenants, 'bills', 'shop'))?.status ?? {};
    assert.deepEqual(
      { credential, endpoint },
      { credential: before?.['credential'], endpoint: before?.['endpoint'] },
    );
  },
);

test('no password or token was shown on the screen', { skip: opensslMissing }, () => {
  assert.equal(passwords.length, 2);
  for (const secret of [...passwords, site.openBao.rootToken])
    assert.ok(!site.terminal.screen.includes(secret));
});

test('nothing is replaced in the page that does not stand there', { skip: opensslMissing }, () => {
  assert.deepEqual(site.unused(), []);
});
