import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { actOf } from '../scenarios/acts.ts';
import { assertNothingLeaked } from '../scenarios/canaries.ts';
import { untilGone } from '../scenarios/descents.ts';
import { inPostgres, query, secretOf, sql } from '../scenarios/sql.ts';
import { raise, type Stage } from '../scenarios/stage.ts';
import { recordsIn } from '../scenarios/stillness.ts';
import { tenant, untilReady } from '../scenarios/tenants.ts';
import type { Resource } from '../world/kubernetes/client.ts';
import { externalSecrets, secrets, tenants } from '../world/kubernetes/resources.ts';
import { waitFor } from '../world/servers/wait-for.ts';

/* Each part is lost in the middle of ten climbs and of ten deletions, two times, and comes back. */

let stage: Stage;
let onAct: () => void = () => undefined;
before(async () => {
  stage = await raise({
    onHookLine: (line) => {
      if (actOf(line) !== undefined) onAct();
    },
  });
  assert.ok('restartApiServer' in stage.world, 'only real parts can be restarted: WORLD_PARTS=real');
});
after(() => stage.close());

/** How a part is lost and comes back, by the word that its Tenants are named after. */
const parts: Readonly<Record<string, { readonly part: string; readonly restart: () => Promise<void> }>> = {
  hook: {
    part: 'The operator',
    restart: async () => {
      await stage.world.hook.kill();
      await stage.world.hook.start();
    },
  },
  caller: { part: 'Metacontroller', restart: () => stage.world.metacontroller.restart() },
  projector: { part: 'External Secrets', restart: async () => stage.world.restartExternalSecrets?.() },
  // The last one: watches of the record break off with it.
  api: { part: 'The API server', restart: async () => stage.world.restartApiServer?.() },
};

/** There are ten Tenants, and each takes five or six steps in both directions. */
const lostAfterActs = [12, 35];

for (const [word, { part, restart }] of Object.entries(parts)) {
  const names = Array.from({ length: 10 }, (_, index) => `${word}${index}`);

  test(`${part} is lost in the middle of ten climbs, and all become Ready, each made once`, async () => {
    const spec = { deletionPolicy: 'Delete', extensions: [{ name: 'citext' }] };
    await losing(restart, () =>
      Promise.all(names.map((name) => stage.kube.create(tenants, tenant(name, spec)))),
    );
    for (const name of names) await untilReady(stage, name);
    for (const name of names) await assertMadeOnce(name);
  });

  test(`${part} is lost in the middle of ten deletions, and nothing is left`, async () => {
    if (word === 'api') await assertNothingLeaked(stage);
    await losing(restart, () => Promise.all(names.map((name) => stage.kube.delete(tenants, name, 'shop'))));
    for (const name of names) await untilGone(stage, name);
    for (const name of names) assert.deepEqual(await inPostgres(stage, `shop_${name}`), {});
    assert.deepEqual(await recordsIn(stage), {});
    assert.deepEqual(await sql(stage, "select from pg_catalog.pg_database where datname like 'pto%'"), []);
    await waitFor('External Secrets and Kubernetes to clear up', async () => {
      const left = await Promise.all([projected(externalSecrets), projected(secrets)]);
      return left.flat().length === 0;
    });
  });
}

/** Begins the work, and waits until the part was lost as often as it is to be; the work may go on by then. */
async function losing(restart: () => Promise<void>, begin: () => Promise<unknown>): Promise<void> {
  let acts = 0;
  let begun: Promise<unknown> = Promise.resolve();
  const restarts: Promise<void>[] = [];
  onAct = () => {
    acts += 1;
    if (lostAfterActs.includes(acts)) restarts.push((restarts.at(-1) ?? begun).then(restart));
  };
  begun = begin();
  await begun;
  await waitFor('enough steps', () => restarts.length === lostAfterActs.length, { timeoutMs: 60_000 });
  onAct = () => undefined;
  await Promise.all(restarts);
}

/** One database, role, row, record with one version, ExternalSecret and Secret; and the application gets in. */
async function assertMadeOnce(name: string): Promise<void> {
  const database = `shop_${name}`;
  assert.deepEqual(Object.keys(await inPostgres(stage, database)).sort(), ['database', 'role', 'row']);
  const records = Object.entries(await recordsIn(stage)).filter(([path]) => path.includes(`/${name}/`));
  assert.deepEqual(
    records.map(([, metadata]) => (metadata as { current_version: number }).current_version),
    [1],
  );
  for (const resource of [externalSecrets, secrets]) {
    const all = stage.recorder
      .versions(resource)
      .filter(({ metadata }) => metadata.name === `${name}-postgresql`);
    assert.equal(new Set(all.map(({ metadata }) => metadata.uid)).size, 1, `${name} ${resource.plural}`);
  }
  assert.deepEqual(await query(await secretOf(stage, name), 'select 1 as one'), [{ one: 1 }]);
}

const projected = async (resource: Resource): Promise<string[]> =>
  (await stage.kube.list(resource, 'shop')).items
    .map(({ metadata }) => metadata.name)
    .filter((name) => name.endsWith('-postgresql'));
