import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { actsIn } from '../scenarios/acts.ts';
import { instance } from '../scenarios/instances.ts';
import { inPostgres, query, secretOf, sql } from '../scenarios/sql.ts';
import { raise, type Stage } from '../scenarios/stage.ts';
import { recordsIn, settled } from '../scenarios/stillness.ts';
import { look, tenant } from '../scenarios/tenants.ts';
import type { KubeObject, Resource } from '../world/kubernetes/client.ts';
import { externalSecrets, instances, secrets, tenants } from '../world/kubernetes/resources.ts';
import { waitFor } from '../world/servers/wait-for.ts';
import { GitOpsTool, type Manners } from './gitops-tool.ts';
import { HealthWatch } from './health-watch.ts';
import { healthOf } from './kstatus.ts';
import { type Kubectl, kubectlWith } from './kubectl.ts';

/* A tool applies what stands in a repository every second, while Metacontroller writes finalizer and status. */

let stage: Stage;
let kubectl: Kubectl;
before(async () => {
  // In mode 'dev' it would forget everything when it stops.
  stage = await raise({ openBao: 'server' });
  kubectl = kubectlWith(stage.world.kubeconfig);
});
after(() => stage.close());

const argoCd: Manners = {
  fieldManager: 'argocd-controller',
  labels: { 'app.kubernetes.io/instance': 'databases' },
  annotations: {
    'argocd.argoproj.io/tracking-id': 'databases:pgtenancy.io/PostgreSQLTenant:shop/argo',
    'argocd.argoproj.io/sync-wave': '1',
  },
};
const flux: Manners = {
  fieldManager: 'kustomize-controller',
  labels: {
    'kustomize.toolkit.fluxcd.io/name': 'databases',
    'kustomize.toolkit.fluxcd.io/namespace': 'flux-system',
  },
  annotations: { 'kustomize.toolkit.fluxcd.io/ssa': 'Merge' },
};

/** Plays a story about one Tenant and its Instance, both of which come from the repository. */
async function withTool(
  manners: Manners,
  name: string,
  story: (tool: GitOpsTool, health: HealthWatch, server: KubeObject) => Promise<void>,
): Promise<void> {
  const { adminRole, managementDatabase } = stage.world.management;
  const server = instance(`pg-${name}`, stage.world.postgres.port, { adminRole, managementDatabase });
  const health = await HealthWatch.start(stage.kube, name);
  const tool = new GitOpsTool(kubectl, manners);
  try {
    await story(tool, health, server);
  } finally {
    await Promise.all([tool.stop(), health.stop()]);
  }
}

test('Argo CD applies again and again: each change is made once, nothing flaps, and a pruned Tenant goes', () =>
  withTool(argoCd, 'argo', async (tool, health, server) => {
    const wanted = (spec: object) =>
      tenant('argo', { instanceRef: { name: 'pg-argo' }, deletionPolicy: 'Delete', ...spec });
    const citext = { name: 'citext' };
    await tool.commit(server, wanted({ connectionLimit: 7, extensions: [citext] }));
    await health.untilCurrent(1);
    await assertUsable('argo', { limit: 7, version: 1, extensions: ['citext'] });
    await assertNoFight(tool, 'argo');

    let acts = actsOf('argo').length;
    const since = (): string[] => actsOf('argo').slice(acts);
    await tool.commit(server, wanted({ connectionLimit: 9, extensions: [citext] }));
    await health.untilCurrent(2);
    await assertUsable('argo', { limit: 9, version: 1, extensions: ['citext'] });
    await tool.applies(2);
    assert.deepEqual(since(), ['RepairRole ok']);

    acts = actsOf('argo').length;
    const more = { extensions: [citext, { name: 'hstore' }], credentialRotation: '2' };
    await tool.commit(server, wanted({ connectionLimit: 9, ...more }));
    await health.untilCurrent(3);
    await assertUsable('argo', { limit: 9, version: 2, extensions: ['citext', 'hstore'] });
    await tool.applies(2);
    assert.deepEqual(since(), ['WriteCredential ok', 'SetPassword ok', 'InstallExtension ok']);

    acts = actsOf('argo').length;
    await tool.commit(server, wanted(more));
    await health.untilCurrent(4);
    await assertUsable('argo', { limit: -1, version: 2, extensions: ['citext', 'hstore'] });
    assert.deepEqual(since(), ['RepairRole ok']);
    assert.equal((await look(stage, 'argo'))?.spec?.['connectionLimit'], -1);
    await assertNoFight(tool, 'argo');

    assertHealth(health, 4);
    assertMetadataKept(health, argoCd);
    await tool.prune(wanted({}), 'foreground');
    await untilGone('argo');
    assert.deepEqual(await inPostgres(stage, 'shop_argo'), {});
    assert.deepEqual(await recordsOf('argo'), []);
    assert.equal(healthOf(health.versions.at(-1) ?? wanted({})), 'Terminating');
  }));

test('Flux takes back by force what a person changed, leaves what a person added, and prunes with Retain', () =>
  withTool(flux, 'flux', async (tool, health, server) => {
    const wanted = tenant('flux', { instanceRef: { name: 'pg-flux' }, connectionLimit: 5 });
    await tool.commit(server, wanted);
    await health.untilCurrent(1);
    await assertUsable('flux', { limit: 5, version: 1, extensions: [] });
    await assertNoFight(tool, 'flux');

    await kubectl.ok('label pgt flux -n shop team=orders');
    await kubectl.ok('patch pgt flux -n shop --type=merge -p \'{"spec":{"connectionLimit":50}}\'');
    await health.untilCurrent(3);
    await assertUsable('flux', { limit: 5, version: 1, extensions: [] });
    await assertNoFight(tool, 'flux');
    assert.equal((await look(stage, 'flux'))?.metadata.labels?.['team'], 'orders');

    health.assertNeverTooEarly();
    assertMetadataKept(health, flux);
    const password = (await secretOf(stage, 'flux'))['password'];
    await tool.prune(wanted, 'background');
    await untilGone('flux');
    assert.deepEqual(Object.keys(await inPostgres(stage, 'shop_flux')).sort(), ['database', 'role', 'row']);
    const [record = ''] = await recordsOf('flux');
    assert.equal((await stage.world.kv.read(record))?.data['password'], password);
  }));

test('A Tenant whose change cannot be made yet is not taken for finished, whatever is away', async () => {
  const health = await HealthWatch.start(stage.kube, 'outage');
  const tool = new GitOpsTool(kubectl, argoCd);
  const { hook, postgres, openBao } = stage.world;
  try {
    await tool.commit(tenant('outage', { connectionLimit: 1 }));
    await health.untilCurrent(1);
    let generation = 1;
    for (const part of [hook, postgres, openBao]) {
      await part.stop();
      generation += 1;
      await tool.commit(tenant('outage', { connectionLimit: generation }));
      await tool.applies(2);
      assert.deepEqual(
        health.at(generation).filter((one) => one !== 'InProgress'),
        [],
      );
      await part.start();
      await health.untilCurrent(generation);
      await assertUsable('outage', { limit: generation, version: 1, extensions: [] });
    }
    assertHealth(health, generation);
  } finally {
    await Promise.all([tool.stop(), health.stop()]);
  }
});

interface Usable {
  readonly limit: number;
  /** Of the record, from which the Secret is. */
  readonly version: number;
  readonly extensions: readonly string[];
}

async function assertUsable(name: string, { limit, version, extensions }: Usable): Promise<void> {
  const secret = await secretOf(stage, name);
  const database = `shop_${name}`;
  const [role] = await sql<{ limit: number }>(
    stage,
    'select rolconnlimit as limit from pg_catalog.pg_roles where rolname = $1',
    { values: [database] },
  );
  const text = "select extname from pg_catalog.pg_extension where extname <> 'plpgsql' order by 1";
  const installed = await sql<{ extname: string }>(stage, text, { database });
  const records = await recordsOf(name);
  assert.deepEqual(
    [role?.limit, installed.map(({ extname }) => extname), records.length],
    [limit, extensions, 1],
  );
  const record = await stage.world.kv.read(records[0] ?? '');
  assert.deepEqual([record?.version, record?.data['password']], [version, secret['password']]);
  assert.deepEqual(await query(secret, 'select 1 as one'), [{ one: 1 }]);
}

/** Applied five times more, everything is as it was, to the version, and the tool sees nothing to do. */
async function assertNoFight(tool: GitOpsTool, name: string): Promise<void> {
  await settled(stage, name);
  const before = await versionsOf(name);
  const acts = actsOf(name).length;
  await tool.applies(5);
  assert.deepEqual(await versionsOf(name), before);
  assert.equal(actsOf(name).length, acts);
  assert.equal(await tool.diff(), '');
}

async function versionsOf(name: string): Promise<unknown> {
  const read = async (resource: Resource, object: string, namespace?: string) =>
    (await stage.kube.get(resource, object, namespace))?.metadata.resourceVersion;
  return {
    instance: await read(instances, `pg-${name}`),
    tenant: await read(tenants, name, 'shop'),
    externalSecret: await read(externalSecrets, `${name}-postgresql`, 'shop'),
    secret: await read(secrets, `${name}-postgresql`, 'shop'),
  };
}

/** At each generation it was under way first, then Current, and stayed so. */
function assertHealth(health: HealthWatch, generations: number): void {
  health.assertNeverTooEarly();
  for (let generation = 1; generation <= generations; generation += 1)
    assert.deepEqual(health.at(generation), ['InProgress', 'Current'], `generation ${generation}`);
}

/** No version ever lacked what the tool wrote, and everyone owns what is theirs. */
function assertMetadataKept({ versions }: HealthWatch, { labels, annotations, fieldManager }: Manners): void {
  for (const { metadata } of versions) {
    assert.partialDeepStrictEqual(metadata.labels, labels);
    assert.partialDeepStrictEqual(metadata.annotations, annotations);
  }
  const managed = versions.at(-1)?.metadata['managedFields'] as ManagedFields[];
  const ownersOf = (part: string, field: string): string[] =>
    managed.filter(({ fieldsV1 }) => field in (fieldsV1[part] ?? {})).map(({ manager }) => manager);
  assert.deepEqual(ownersOf('f:spec', 'f:instanceRef'), [fieldManager]);
  assert.deepEqual(ownersOf('f:metadata', 'f:annotations'), [fieldManager]);
  assert.ok(ownersOf('f:metadata', 'f:labels').includes(fieldManager));
  assert.deepEqual(ownersOf('f:status', 'f:conditions'), ['metacontroller']);
  assert.deepEqual(ownersOf('f:metadata', 'f:finalizers'), ['metacontroller']);
}

interface ManagedFields {
  readonly manager: string;
  readonly fieldsV1: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** What was done; that a slot was taken for a moment does not count. */
const actsOf = (name: string): string[] =>
  actsIn(stage.world.hook.log(), name)
    .filter(({ outcome }) => outcome !== 'Busy')
    .map(({ step, outcome }) => `${step} ${outcome}`);

const recordsOf = async (name: string): Promise<string[]> =>
  Object.keys(await recordsIn(stage)).filter((path) => path.includes(`/shop/${name}/`));

const untilGone = (name: string): Promise<true> =>
  waitFor(`${name} to go`, async () => (await look(stage, name)) === undefined, { timeoutMs: 60_000 });
