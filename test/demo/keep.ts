import { mkdir, rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

import type { World } from '../world/world.ts';
import type { Narrator } from './narrator.ts';

/** Where `npm run demo:sql` finds the servers of a demo that was kept. */
export const keptFile = fileURLToPath(new URL('../../.demo/world.json', import.meta.url));

/** Leaves everything running until Ctrl-C, and says how to look at it and how to disturb it. */
export async function keepRunning(world: World, narrator: Narrator): Promise<void> {
  const { host, port, superuser } = world.postgres;
  await mkdir(new URL('.', `file://${keptFile}`), { recursive: true });
  await writeFile(keptFile, JSON.stringify({ host, port, ...superuser, ca: world.ca }), { mode: 0o600 });
  const tenant = `${world.api.url}/apis/pgtenancy.io/v1alpha1/namespaces/shop/postgresqltenants/orders`;
  const external = `${world.api.url}/apis/external-secrets.io/v1/namespaces/shop/externalsecrets/orders-postgresql`;
  const secret = `${world.api.url}/api/v1/namespaces/shop/secrets/orders-postgresql`;
  narrator.heading('Kept running; Ctrl-C ends it. Phases go on being told here');
  narrator.detail(`The Tenant:        curl -s ${tenant}
The operator:      kill -9 ${world.hook.pid ?? 0}   (it is started again); metrics: curl -s ${world.hook.url}/metrics
OpenBao:           curl -s -H 'X-Vault-Token: ${world.openBao.rootToken}' ${world.openBao.url}/v1/${world.kvSetUp.mount}/metadata/demo/shop?list=true

Disturb it, and see it healed within about 20 s:
  npm run -s demo:sql -- 'alter role shop_orders password $$changed$$'
  npm run -s demo:sql -- 'grant connect on database shop_orders to public'
  npm run -s demo:sql -- 'alter database shop_orders allow_connections false'
  npm run -s demo:sql -- --database shop_orders 'drop extension citext'
  curl -s -X DELETE ${external}
  curl -s -X DELETE ${secret}
  curl -s -X PATCH -H 'content-type: application/merge-patch+json' -d '{"spec":{"refreshInterval":"5m"}}' ${external}
Rotate the password, once for each new value:
  curl -s -X PATCH -H 'content-type: application/merge-patch+json' -d '{"spec":{"credentialRotation":"1"}}' ${tenant}
Look:
  npm run -s demo:sql -- 'select * from pgtenancy.tenant'
  curl -s ${secret}`);
  const reviving = setInterval(() => void world.hook.revive(), 500);
  await new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, resolve);
  });
  clearInterval(reviving);
  await rm(keptFile, { force: true });
}
