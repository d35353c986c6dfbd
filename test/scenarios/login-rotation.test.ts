import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { secrets } from '../world/kubernetes/resources.ts';
import { setUpNextLogin } from '../world/servers/management-role.ts';
import { waitFor } from '../world/servers/wait-for.ts';
import { operatorNamespace, pgHost } from '../world/names.ts';
import { assertNothingLeaked } from './canaries.ts';
import { sql } from './sql.ts';
import { raise, type Stage } from './stage.ts';
import { apply, ready, remove, tenant, untilReady } from './tenants.ts';

let stage: Stage;
before(async () => {
  stage = await raise();
});
after(() => stage.close());

test('The login is replaced while Tenants live, climb and go, and the old one can be dropped', async () => {
  await ready(stage, 'lives');
  await ready(stage, 'goes', { deletionPolicy: 'Delete' });
  const { postgres, ca, management } = stage.world;
  await apply(stage, tenant('climbs'));
  const login = await setUpNextLogin(postgres, { ca, servername: pgHost });
  await stage.kube.patch(secrets, 'pg-main-management', operatorNamespace, {
    data: { username: btoa(login.username), password: btoa(login.password) },
  });
  const sessionsOf = (name: string) =>
    sql(stage, 'select from pg_catalog.pg_stat_activity where usename = $1', { values: [name] });
  await waitFor('the new login', async () => (await sessionsOf(login.username)).length > 0, {
    timeoutMs: 90_000,
  });
  await waitFor('the end of the old one', async () => (await sessionsOf(management.username)).length === 0, {
    timeoutMs: 90_000,
  });
  await sql(stage, `drop role ${management.username}`);
  await untilReady(stage, 'climbs');
  await sql(stage, 'alter role shop_lives nologin');
  await sql(stage, 'grant connect on database shop_lives to public');
  await waitFor('what was changed to be put right', async () => {
    const found = await sql(
      stage,
      `select from pg_catalog.pg_roles r, pg_catalog.pg_database d
        where r.rolname = 'shop_lives' and r.rolcanlogin and d.datname = 'shop_lives'
          and not exists (select from pg_catalog.aclexplode(d.datacl) a where a.grantee = 0)`,
    );
    return found.length > 0;
  });
  await remove(stage, 'goes');
});

test('The management role is no member of any Tenant by its own grant', async () => {
  const own = 'select from pg_catalog.pg_auth_members m where m.member = m.grantor';
  assert.deepEqual(await sql(stage, own), []);
});

test('None of this showed a password or a token', () => assertNothingLeaked(stage));
