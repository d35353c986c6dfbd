import type { KubeObject } from '../world/kubernetes/client.ts';
import { installation } from '../world/names.ts';
import type { World } from '../world/world.ts';

/** Commands to look at a kept world, and at the Tenant in it. */
export function looks(world: World, tenant: KubeObject | undefined): string {
  const { rootToken, url } = world.openBao;
  const records = `${url}/v1/${world.kvSetUp.mount}/metadata/${installation}`;
  const folder = tenant === undefined ? '' : `/${tenant.metadata.namespace ?? ''}`;
  return [
    'Look at it:',
    ...(tenant === undefined
      ? []
      : [`  curl -s ${tenantUrl(world, tenant)}`, `  curl -s ${secretUrl(world, tenant)}`]),
    `  npm run -s demo:sql -- 'select * from pgtenancy.tenant'`,
    `  curl -s -H 'X-Vault-Token: ${rootToken}' '${records}${folder}?list=true'`,
    `  curl -s ${world.hook.metricsUrl}/metrics`,
    'End the operator (it is started again, as a kubelet would):',
    `  kill -9 ${world.hook.pid ?? 0}`,
  ].join('\n');
}

/** Commands that disturb a Tenant in every place; those in PostgreSQL only once its names are known. */
export function disturbances(world: World, tenant: KubeObject): string {
  const external = externalSecretUrl(world, tenant);
  return [
    'Disturb it, and see it healed:',
    ...inPostgres(tenant),
    `  curl -s -X DELETE ${external}`,
    `  curl -s -X DELETE ${secretUrl(world, tenant)}`,
    `  ${patch} '{"spec":{"refreshInterval":"5m"}}' ${external}`,
    'Rotate the password, once for each new value:',
    `  ${patch} '{"spec":{"credentialRotation":"1"}}' ${tenantUrl(world, tenant)}`,
  ].join('\n');
}

const patch = "curl -s -X PATCH -H 'content-type: application/merge-patch+json' -d";

function inPostgres({ spec, status }: KubeObject): string[] {
  const [database, role] = [status?.['databaseName'], status?.['roleName']];
  if (typeof database !== 'string' || typeof role !== 'string') return [];
  const [extension] = (spec?.['extensions'] ?? []) as { name: string }[];
  const sql = (statement: string) => `  npm run -s demo:sql -- '${statement}'`;
  return [
    sql(`alter role "${role}" password $$changed$$`),
    sql(`grant connect on database "${database}" to public`),
    sql(`alter database "${database}" allow_connections false`),
    ...(extension === undefined
      ? []
      : [`  npm run -s demo:sql -- --database '${database}' 'drop extension "${extension.name}"'`]),
  ];
}

const tenantUrl = ({ api }: World, { metadata }: KubeObject): string =>
  `${api.url}/apis/pgtenancy.io/v1alpha1/namespaces/${metadata.namespace ?? ''}/postgresqltenants/${metadata.name}`;

const externalSecretUrl = ({ api }: World, { metadata }: KubeObject): string =>
  `${api.url}/apis/external-secrets.io/v1/namespaces/${metadata.namespace ?? ''}/externalsecrets/${metadata.name}-postgresql`;

const secretUrl = ({ api }: World, { metadata }: KubeObject): string =>
  `${api.url}/api/v1/namespaces/${metadata.namespace ?? ''}/secrets/${metadata.name}-postgresql`;
