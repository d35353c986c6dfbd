import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';

import { Secret } from '../../src/secret.ts';
import { setUpManagementRole, setUpNextLogin, setUpSingleLogin } from '../world/servers/management-role.ts';
import { postgresMajors } from '../world/servers/postgres-binaries.ts';
import { type Postgres, startPostgres } from '../world/servers/postgres.ts';
import { waitFor } from '../world/servers/wait-for.ts';
import { LiveServer, LiveTenant, type RoleKind, roleKinds, targetOf } from './live-server.ts';

/** The three kinds share a server, each with a registry of its own. */
async function liveServers(postgres: Postgres): Promise<Record<RoleKind | 'next', LiveServer>> {
  const superuser = new LiveServer(postgres, { managementDatabase: 'of_superuser' });
  await superuser.admin('create database of_superuser', [], 'postgres');
  const limited = new LiveServer(postgres, targetOf(await setUpSingleLogin(postgres, 'single_login')));
  const adminRole = new LiveServer(postgres, targetOf(await setUpManagementRole(postgres)));
  const { username, password } = await setUpNextLogin(postgres);
  const next = new LiveServer(postgres, { ...adminRole.target, username, password: new Secret(password) });
  for (const live of [superuser, limited, adminRole]) await live.register();
  return { superuser, limited, adminRole, next };
}

/** Every step of a whole life, in order; each may be repeated. */
const climb: readonly (readonly [string, (tenant: LiveTenant) => Promise<void>])[] = [
  ['claim', (tenant) => tenant.claim()],
  ['createRole', async (tenant) => tenant.steps.createRole(await tenant.handle(), tenant.password, 5)],
  ['createDatabase', async (tenant) => tenant.steps.createDatabase(await tenant.handle())],
  ['openDatabase', async (tenant) => tenant.steps.openDatabase(await tenant.handle())],
  ['setPassword', async (tenant) => tenant.steps.setPassword(await tenant.handle(), tenant.password)],
];
const descend: typeof climb = [
  ['close', async (tenant) => tenant.steps.close(await tenant.handle())],
  ['tombstone', async (tenant) => tenant.steps.tombstone(await tenant.handle())],
  ['dropDatabase', async (tenant) => tenant.steps.dropDatabase(await tenant.handle())],
  ['dropRole', async (tenant) => tenant.steps.dropRole(await tenant.handle())],
  ['release', async (tenant) => tenant.steps.release(await tenant.handle())],
];

for (const major of postgresMajors) {
  describe(`PostgreSQL ${major}`, () => {
    let postgres: Postgres;
    let lives: Record<RoleKind | 'next', LiveServer>;
    before(async () => {
      postgres = await startPostgres({ major, settings: { autovacuum_naptime: '1s' } });
      lives = await liveServers(postgres);
    });
    after(async () => {
      await Promise.all(Object.values(lives).map((live) => live.servers.close()));
      await postgres.close();
    });
    afterEach(async () => {
      const own = 'select member::regrole, roleid::regrole from pg_auth_members where member = grantor';
      assert.deepEqual(await lives.superuser.admin(own), [], 'a self-grant was left');
    });

    const opened = async (kind: RoleKind) => {
      const tenant = new LiveTenant(lives[kind]);
      await tenant.open();
      return tenant;
    };
    const asSuperuser = (...statements: string[]) =>
      Promise.all(statements.map((statement) => lives.superuser.admin(statement)));
    const selfGranted = async (tenant: LiveTenant) => (await tenant.observe()).role.registered?.selfGranted;
    const gone = async (tenant: LiveTenant) => {
      const { row, role, database } = await tenant.observe();
      assert.deepEqual([row, role.named, database.named, database.tombstone], [null, null, null, null]);
    };
    /** Ends the backends of the operator, those of `kind` only, as a crash of the server or of the network would. */
    const killSessions = (live: LiveServer) =>
      live.admin(
        'select pg_terminate_backend(pid) from pg_stat_activity where usename = $1 and pid <> pg_backend_pid()',
        [live.target.username],
      );
    /** Holds `create` or `drop database` up, after the self-grant was committed, while something else is done. */
    const meanwhile = async (
      tenant: LiveTenant,
      statement: 'create' | 'drop',
      work: (done: Promise<void>) => Promise<void>,
    ): Promise<void> => {
      const handle = await tenant.handle();
      const holder = await lives.superuser.connect();
      await holder.query('begin; lock table pg_catalog.pg_database in share mode');
      const { steps } = tenant;
      const done = statement === 'create' ? steps.createDatabase(handle) : steps.dropDatabase(handle);
      const settled = done.catch(() => undefined);
      try {
        await waitFor('the statement', async () => {
          const { inFlight, role } = await tenant.observe();
          return inFlight === statement && role.registered?.selfGranted === true;
        });
        await work(done);
      } finally {
        await holder.end();
        await settled;
      }
    };

    for (const kind of roleKinds) {
      it(`is climbed and descended as ${kind}, each step twice`, async () => {
        const tenant = new LiveTenant(lives[kind]);
        for (const [, step] of climb) {
          await step(tenant);
          await step(tenant);
          assert.ok((await selfGranted(tenant)) !== true);
        }
        assert.equal((await tenant.session()).kind, 'proven');
        const { database } = await tenant.observe();
        assert.equal(database.registered?.publicConnect, false);
        for (const [, step] of descend) {
          await step(tenant);
          if (tenant.live !== lives.superuser) assert.ok((await selfGranted(tenant)) !== true);
          await step(tenant);
        }
        await gone(tenant);
      });

      it(`loses every session of ${kind} between the steps, and goes on`, async () => {
        const tenant = new LiveTenant(lives[kind]);
        for (const [name, step] of [...climb, ...descend]) {
          await step(tenant);
          await killSessions(tenant.live);
          await waitFor(`the way on after ${name}`, () =>
            tenant.observe().then(
              () => true,
              () => false,
            ),
          );
        }
        await gone(tenant);
      });
    }

    for (const kind of ['limited', 'adminRole'] as const) {
      it(`puts right as ${kind} what was changed by hand`, async () => {
        const tenant = await opened(kind);
        const { databaseName: name, roleName: role, live } = tenant;
        const manager = live.target.adminRole ?? live.target.username;
        const reopened = async () => {
          await tenant.steps.openDatabase(await tenant.handle());
          const { registered } = (await tenant.observe()).database;
          assert.deepEqual(
            [registered?.ownerName, registered?.publicConnect, registered?.publicTemporary],
            [role, false, false],
          );
          assert.equal((await tenant.session()).kind, 'proven');
        };
        await asSuperuser(`grant connect on database ${name} to public`);
        await reopened();
        await asSuperuser(
          `alter database ${name} allow_connections false connection limit 0 is_template true`,
        );
        await reopened();
        await asSuperuser(`alter database ${name} owner to ${manager}`);
        await reopened();
        await asSuperuser(
          `alter role ${role} nologin createdb createrole connection limit 0 valid until '2001-01-01'`,
        );
        await tenant.steps.repairRole(await tenant.handle(), {
          login: true,
          createDb: false,
          createRole: false,
          connectionLimit: 5,
          neverExpires: true,
        });
        await reopened();
        await tenant.remove();
      });

      it(`says as ${kind} which statement only a superuser can run, and goes on once it was`, async () => {
        const tenant = await opened(kind);
        const { databaseName: name, roleName: role } = tenant;
        await asSuperuser(`alter database ${name} owner to postgres`);
        await assert.rejects(async () => tenant.steps.openDatabase(await tenant.handle()), {
          reason: 'RightsMissing',
          message: new RegExp(`; a superuser runs: alter database "${name}" owner to "${role}"$`),
        });
        await asSuperuser(`alter database "${name}" owner to "${role}"`, `alter role ${role} superuser`);
        for (const step of [climb[3], climb[4], descend[0]]) {
          await assert.rejects(step![1](tenant), {
            reason: 'RightsMissing',
            message: new RegExp(`; a superuser runs: alter role "${role}" nosuperuser$`),
          });
        }
        await tenant.steps.retain(await tenant.handle());
        await asSuperuser(`alter role "${role}" nosuperuser`);
        assert.equal((await tenant.observe()).row?.state, 'Retained');
      });

      it(`keeps as ${kind} what was about to go`, async () => {
        for (const depth of [0, 1, 2]) {
          const tenant = await opened(kind);
          for (const [, step] of descend.slice(0, depth)) await step(tenant);
          await tenant.steps.reopenRetained(await tenant.handle());
          const { row, database } = await tenant.observe();
          assert.equal(row?.state, 'Retained');
          assert.equal(database.registered?.publicConnect, false);
          assert.equal((await tenant.session()).kind, 'proven');
        }
      });

      it(`takes back as ${kind} a grant that a crash in the middle of create or drop left`, async () => {
        const tenant = new LiveTenant(lives[kind]);
        await tenant.createRole();
        const interrupt = (statement: 'create' | 'drop') =>
          meanwhile(tenant, statement, async (done) => {
            await killSessions(tenant.live);
            await assert.rejects(done, { reason: 'InstanceUnreachable' });
          });
        const left = async () => {
          await waitFor('a new session', () => tenant.observe().catch(() => undefined));
          assert.equal(await selfGranted(tenant), true);
        };
        await interrupt('create');
        await left();
        await tenant.steps.returnMembership(await tenant.handle());
        assert.equal(await selfGranted(tenant), false);
        for (const [, step] of [...climb.slice(2), ...descend.slice(0, 2)]) await step(tenant);
        await interrupt('drop');
        await left();
        await tenant.steps.retain(await tenant.handle());
        await tenant.steps.returnMembership(await tenant.handle());
        assert.equal(await selfGranted(tenant), false);
        await lives[kind].admin(`update pgtenancy.tenant set state = 'Active', retained_at = null`);
        for (const [, step] of descend.slice(2)) await step(tenant);
        await gone(tenant);
      });

      it(`gives a tenant nothing while ${kind} is a member of its role`, async () => {
        const tenant = new LiveTenant(lives[kind]);
        await tenant.createRole();
        const { live, roleName: role } = tenant;
        const manager = live.target.adminRole ?? live.target.username;
        const attacker = await live.connect({
          user: role,
          password: tenant.password.reveal(),
          database: 'postgres',
        });
        const attempts = [
          `set role ${manager}`,
          `grant ${manager} to ${role}`,
          `alter role ${manager} password 'x'`,
          `alter role ${role} createrole`,
          `reassign owned by ${manager} to ${role}`,
          'select from pgtenancy.tenant',
          `create database stolen owner ${role}`,
        ];
        await meanwhile(tenant, 'create', async () => {
          for (const attempt of attempts)
            await assert.rejects(attacker.query(attempt), { code: /^(42501|42P01)$/ }, attempt);
          const { rows } = await attacker.query(`select pg_has_role('${manager}', 'member') as member`);
          assert.deepEqual(rows, [{ member: false }]);
        });
        await attacker.end();
        assert.equal(await selfGranted(tenant), false);
        await tenant.steps.openDatabase(await tenant.handle());
        await tenant.remove();
      });

      it(`ends as ${kind} the sessions of tenants, and names whose it may not end`, async () => {
        const tenant = await opened(kind);
        const { databaseName: name } = tenant;
        const friend = await opened(kind);
        await asSuperuser(`grant connect on database ${name} to ${friend.roleName}`);
        const visitor = await friend.connect(name);
        const application = await tenant.connect();
        await application.query(`begin; alter role ${tenant.roleName} password 'x';
          alter database ${name} connection limit 5`);
        const dba = await tenant.live.connect({ database: name });
        await tenant.steps.close(await tenant.handle());
        await assert.rejects(application.query('select'));
        await assert.rejects(async () => tenant.steps.tombstone(await tenant.handle()), {
          reason: 'DeletionBlocked',
          message: `sessions of "postgres" in database "${name}" are not the management role's to end; a superuser ends them: select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`,
        });
        await assert.rejects(visitor.query('select'));
        await dba.end();
        for (const [, step] of descend) await step(tenant);
        await gone(tenant);
        for (const client of [application, visitor]) await client.end().catch(() => undefined);
        await friend.remove();
      });

      it(`revokes as ${kind} what other tenants gave a role that is dropped, and says who must revoke the rest`, async () => {
        const tenant = await opened(kind);
        const friend = await opened(kind);
        const owner = await friend.connect();
        await owner.query(`grant connect on database ${friend.databaseName} to ${tenant.roleName}`);
        await owner.end();
        await asSuperuser(`grant connect on database postgres to ${tenant.roleName}`);
        for (const [, step] of descend.slice(0, 3)) await step(tenant);
        const revoke = `revoke all on database "postgres" from "${tenant.roleName}" cascade`;
        await assert.rejects(async () => tenant.steps.dropRole(await tenant.handle()), {
          reason: 'DeletionBlocked',
          message: new RegExp(`on database "postgres" of "postgres"; a superuser runs: ${revoke}$`),
        });
        await asSuperuser(revoke);
        await tenant.steps.dropRole(await tenant.handle());
        await tenant.steps.release(await tenant.handle());
        await friend.remove();
      });
    }

    it('is gone on with by the next login of the group, in the middle of a climb and of a descent', async () => {
      const first = new LiveTenant(lives.adminRole);
      const second = first.through(lives.next);
      for (const [index, [, step]] of [...climb, ...descend].entries()) {
        await step(index % 2 === 0 ? first : second);
      }
      await gone(second);
    });

    it('shows the next login what the first one is still doing', async () => {
      const first = new LiveTenant(lives.adminRole);
      const second = first.through(lives.next);
      await first.createRole();
      await meanwhile(first, 'create', async () => {
        assert.equal((await second.observe()).inFlight, 'create');
      });
      await second.steps.openDatabase(await second.handle());
      await second.remove();
    });

    it('drops a database in which a worker of autovacuum is busy', async () => {
      const tenant = await opened('adminRole');
      const owner = await tenant.connect();
      await owner.query(`
        create table busy (n int) with (autovacuum_vacuum_threshold = 1, autovacuum_vacuum_scale_factor = 0,
                                        autovacuum_vacuum_cost_delay = 100, autovacuum_vacuum_cost_limit = 1);
        insert into busy select g from generate_series(1, 20000) g`);
      await owner.query('update busy set n = n + 1');
      await owner.end();
      await descend[0]![1](tenant);
      await descend[1]![1](tenant);
      await waitFor('a worker of autovacuum', async () => {
        const found = await lives.superuser.admin(
          `select from pg_stat_activity where backend_type = 'autovacuum worker' and datname like 'pto_drop_%'`,
        );
        return found.length > 0;
      });
      for (const [, step] of descend.slice(2)) await step(tenant);
      await gone(tenant);
    });

    if (major < 16) return;

    it('leaves no grant where the server makes one by itself', async () => {
      const { live } = new LiveTenant(lives.limited);
      await asSuperuser(`alter role ${live.target.username} set createrole_self_grant = 'set, inherit'`);
      await killSessions(live);
      const tenant = new LiveTenant(live);
      await waitFor('a new session', () => tenant.observe().catch(() => undefined));
      await tenant.createRole();
      assert.equal(await selfGranted(tenant), false);
      await asSuperuser(`alter role ${live.target.username} reset createrole_self_grant`);
      await tenant.steps.dropRole(await tenant.handle());
    });

    it('says which grant a role that somebody else made needs', async () => {
      const tenant = new LiveTenant(lives.limited);
      await tenant.claim();
      await asSuperuser(`create role ${tenant.roleName} login`);
      await lives.limited.admin(`update pgtenancy.tenant set role_oid = $1::regrole where tenant_uid = $2`, [
        tenant.roleName,
        tenant.uid,
      ]);
      const { roleName: role } = tenant;
      const grant = `grant "${role}" to "single_login" with admin option`;
      await assert.rejects(async () => tenant.steps.createDatabase(await tenant.handle()), {
        reason: 'RightsMissing',
        message: `management role "single_login" did not create role "${role}" and has no ADMIN option of its own on it; name the role that did in spec.adminRole, or a superuser runs: ${grant}`,
      });
      await asSuperuser(grant);
      await tenant.steps.createDatabase(await tenant.handle());
      await tenant.steps.openDatabase(await tenant.handle());
      await tenant.remove();
    });
  });
}
