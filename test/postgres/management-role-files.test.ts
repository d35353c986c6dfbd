import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { runAsSuperuser, setUpManagementRole, statementsOf } from '../world/servers/management-role.ts';
import { type Postgres, startPostgres } from '../world/servers/postgres.ts';
import { LiveServer } from './live-server.ts';

/* docs/management-role: what a superuser runs with psql, before there is an operator. */

let postgres: Postgres;
let live: LiveServer;
before(async () => {
  postgres = await startPostgres();
  live = new LiveServer(postgres, { managementDatabase: 'postgres' });
});
after(async () => {
  await live.servers.close();
  await postgres.close();
});

const made = (): Promise<unknown[]> =>
  live.admin(`select rolname from pg_roles where rolname like 'pgtenancy%'
    union all select datname from pg_database where datname like 'pgtenancy%'`);

for (const variant of ['group', 'next-login', 'single-login'] as const)
  for (const [what, env] of [
    ['Without a password', {}],
    ['With an empty password', { MANAGEMENT_PASSWORD: '' }],
  ] as const)
    test(`${what} ${variant}.sql ends before anything is made`, async () => {
      await assert.rejects(
        runAsSuperuser(postgres, false, await statementsOf(variant, env)),
        /syntax error at or near ":"|division by zero/,
      );
      assert.deepEqual(await made(), []);
    });

test('What fails does not put the password into the log of the server', async () => {
  await setUpManagementRole(postgres);
  const secret = "it's-a-secret-9f1c";
  const again = runAsSuperuser(postgres, false, await statementsOf('group', { MANAGEMENT_PASSWORD: secret }));
  await assert.rejects(again, /role "pgtenancy_login" already exists/);
  assert.match(postgres.log(), /role "pgtenancy_login" already exists/);
  assert.ok(!postgres.log().includes('9f1c'));
});
