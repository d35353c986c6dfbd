import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { metacontrollerBinary } from '../../control-plane/metacontroller-process.ts';
import { tenant } from '../../scenarios/tenants.ts';
import { KubeClient, ApiError } from '../../world/kubernetes/client.ts';
import { namespaces, secrets, tenants } from '../../world/kubernetes/resources.ts';
import { accessOf } from '../../control-plane/service-account.ts';
import { waitFor } from '../../world/servers/wait-for.ts';
import { release } from '../../control-plane/operator-release.ts';
import { type GrantedRole, grantedRoles } from './granted-roles.ts';
import { type Permission, permissionsOf, textOf } from './permission.ts';
import { type Act, productRun } from './product-run.ts';
import {
  finish,
  metacontrollerAccount,
  operatorAccount,
  type RightsStage,
  startRightsStage,
} from './rights-stage.ts';
import { requireNeeded } from './taken-away.ts';
import { instanceReady } from './tenancy.ts';

/*
 * The chart grants what is needed and nothing else: everything that is granted is used over a run of the whole product, and
 * with each permission taken away, one after the other, something fails that is done when it is given back.
 */

let stage: RightsStage;
let roles: readonly GrantedRole[];
before(async () => {
  stage = await startRightsStage();
  roles = await grantedRoles(stage.cluster.kube, release.name);
});
after(() => stage.cluster.close());

/** The stand-in for Metacontroller does not ask for exactly what the real one does. */
const isReal = metacontrollerBinary() !== undefined;
const accounts = isReal ? [operatorAccount, metacontrollerAccount] : [operatorAccount];

const permissionsIn = (account: string): readonly Permission[] =>
  roles
    .filter((role) => role.account === account)
    .flatMap(({ rules }) => rules.flatMap((rule) => permissionsOf(rule)));

/**
 * What Metacontroller never reads one by one in this version. `get` shows nothing that `list` does not, so it costs nothing, and
 * a version that reads one object goes on working.
 */
const onlyListed =
  /^(compositecontrollers|decoratorcontrollers|controllerrevisions|customresourcedefinitions|namespaces)$/;
const isBesideList = ({ verb, resource }: Permission, account: string): boolean =>
  verb === 'get' &&
  account === metacontrollerAccount &&
  onlyListed.test(resource) &&
  permissionsIn(account).some((one) => one.verb === 'list' && one.resource === resource);

/** Permissions that were used and that no role of every user gave. */
function usedBy(account: string): string[] {
  const used = stage
    .requests()
    .filter((one) => one.account === account && one.isAllowed && !one.isEverybodys);
  return [...new Set(used.map((one) => textOf(one)))].sort();
}

test('Everything that is granted is used, and nothing is refused', async () => {
  for (const strategy of ['dynamic-apply', 'server-side-apply'] as const) {
    await stage.apply(strategy);
    await instanceReady(stage.cluster);
    const acts: Readonly<Record<string, Act>> = productRun(stage.cluster, stage.pod, strategy);
    for (const act of Object.values(acts)) await finish(act);
  }
  await endNamespace();
  for (const account of accounts) {
    const needed = permissionsIn(account)
      .filter((one) => !isBesideList(one, account))
      // An admission plugin asks for it, which is in no log: the next test shows that it is needed.
      .filter(({ resource }) => !resource.endsWith('/finalizers'));
    assert.deepEqual(usedBy(account), needed.map((one) => textOf(one)).sort());
  }
  assert.deepEqual(
    stage.requests().filter(({ account, isAllowed }) => accounts.includes(account) && !isAllowed),
    [],
  );
});

/** A namespace goes, and takes its Tenant along. */
async function endNamespace(): Promise<void> {
  const { kube } = stage.cluster;
  await kube.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'going' } });
  await kube.create(tenants, tenant('going/inner', { deletionPolicy: 'Delete' }));
  await waitFor('the Tenant to be worked on', async () => {
    const found = await kube.get(tenants, 'inner', 'going');
    return found?.status?.['phase'] !== undefined;
  });
  await kube.delete(namespaces, 'going');
  await waitFor('the namespace to go', async () => (await kube.get(namespaces, 'going')) === undefined, {
    timeoutMs: 60_000,
    everyMs: 100,
  });
}

test('With each permission taken away something fails, and it is done when it is given back', async (t) => {
  if (!isReal) t.diagnostic('rights of the operator alone: those of Metacontroller need METACONTROLLER_BIN');
  await stage.apply('dynamic-apply');
  let count = 0;
  for (const role of roles.filter(({ account }) => accounts.includes(account)))
    for (const permission of role.rules.flatMap((rule) => permissionsOf(rule))) {
      if (isBesideList(permission, role.account)) continue;
      count += 1;
      await t.test(`${role.account}: ${textOf(permission)}`, () =>
        requireNeeded(stage, { role, permission, id: String(count) }),
      );
    }
  assert.ok(count > 5);
});

test('No ServiceAccount can do anything else', async () => {
  const everybody = await abilities('default', 'shop');
  const [reads, all] = ['get,list,watch', 'create,delete,get,list,patch,update,watch'];
  assert.deepEqual(await abilities('metacontroller', 'metacontroller', everybody), {
    'compositecontrollers.metacontroller.k8s.io': reads,
    'controllerrevisions.metacontroller.k8s.io': reads,
    'customresourcedefinitions.apiextensions.k8s.io': reads,
    'decoratorcontrollers.metacontroller.k8s.io': reads,
    events: 'create,patch',
    'externalsecrets.external-secrets.io': all,
    namespaces: reads,
    'postgresqlinstances.pgtenancy.io': 'get,list,update,watch',
    'postgresqlinstances.pgtenancy.io/status': 'update',
    'postgresqltenants.pgtenancy.io': 'get,list,update,watch',
    'postgresqltenants.pgtenancy.io/finalizers': 'update',
    'postgresqltenants.pgtenancy.io/status': 'update',
  });
  const everywhere = {
    'externalsecrets.external-secrets.io': 'get',
    namespaces: 'get',
    'postgresqlinstances.pgtenancy.io': 'get',
    'postgresqltenants.pgtenancy.io': 'get,list',
  };
  assert.deepEqual(await abilities(release.name, release.namespace, everybody, 'shop'), everywhere);
  assert.deepEqual(await abilities(release.name, release.namespace, everybody), {
    ...everywhere,
    secrets: 'get',
  });
});

/** What `kubectl auth can-i --list` says, without what everybody can do: verbs by resource. */
async function abilities(
  account: string,
  namespace: string,
  everybody: Readonly<Record<string, string>> = {},
  inNamespace = namespace,
): Promise<Record<string, string>> {
  const as = `system:serviceaccount:${namespace}:${account}`;
  const rows = await stage.cluster.kubectl.table(`auth can-i --list --as=${as} -n ${inNamespace}`);
  const found = rows
    .filter(({ Resources }) => Resources !== undefined && Resources !== '')
    .map((row) => {
      assert.equal(row['Resource Names'], '[]');
      const verbs = (row['Verbs'] ?? '').replaceAll(/[[\]]/g, '').split(' ').sort().join(',');
      return [row['Resources'] ?? '', verbs] as const;
    })
    .filter(([resource]) => everybody[resource] === undefined);
  return Object.fromEntries(found);
}

test('Secrets of other namespaces are refused to the operator, and all to Metacontroller', async () => {
  const { plane, kube } = stage.cluster;
  const refused = (error: unknown): boolean => error instanceof ApiError && error.code === 403;
  const account = (namespace: string, name: string) =>
    accessOf(kube, plane.admin, { namespace, name }).then((access) => new KubeClient(access));
  const operator = await account(release.namespace, release.name);
  const metacontroller = await account('metacontroller', 'metacontroller');
  assert.ok(await operator.get(secrets, 'pg-main-management', release.namespace));
  await assert.rejects(operator.list(secrets, release.namespace), refused);
  await assert.rejects(operator.get(secrets, 'postgresql-tenants-token', 'external-secrets'), refused);
  await assert.rejects(metacontroller.get(secrets, 'pg-main-management', release.namespace), refused);
});
