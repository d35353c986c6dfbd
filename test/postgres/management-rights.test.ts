import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { missingRights } from '../../src/domain/missing-rights.ts';
import { Secret } from '../../src/secret.ts';
import { setUpManagementRole } from '../world/servers/management-role.ts';
import { type Postgres, startPostgres } from '../world/servers/postgres.ts';
import { troubleOf } from '../trouble-of.ts';
import { LiveServer, LiveTenant, targetOf } from './live-server.ts';

for (const major of [15, 18] as const) {
  describe(`what a management role lacks on PostgreSQL ${major}`, () => {
    let postgres: Postgres;
    let root: LiveServer;
    const opened: LiveServer[] = [];
    before(async () => {
      postgres = await startPostgres({ major });
      root = new LiveServer(postgres);
    });
    after(async () => {
      await Promise.all([root, ...opened].map((live) => live.servers.close()));
      await postgres.close();
    });

    let count = 0;
    /** A login with these attributes and a database of its own, in which it has no rights but CONNECT. */
    const login = async (attributes = '') => {
      count += 1;
      const username = `Login ${count}`;
      await root.admin(`create role "${username}" login ${attributes} password 'p'`);
      await root.admin(`create database "db ${count}"`);
      const live = new LiveServer(postgres, {
        username,
        password: new Secret('p'),
        managementDatabase: `db ${count}`,
      });
      opened.push(live);
      return live;
    };
    /** Runs what a message says, as the superuser, in the management database. */
    const paste = async (live: LiveServer, statements: readonly string[]) => {
      for (const statement of statements) await live.admin(statement);
    };
    const missing = async (live: LiveServer) => missingRights(await live.server.observe.server());
    const forThisVersion = (statement: string) =>
      statement.replace(/( with set true) \(.*\)$/, major < 16 ? '' : '$1');
    const statementIn = (message: string) => message.split('a superuser runs: ')[1]?.split('; ') ?? [];

    it('is told in statements that help, all at once', async () => {
      const live = await login();
      const expected = [
        `alter role "${live.manager}" createdb createrole;`,
        `grant create on database "${live.target.managementDatabase}" to "${live.manager}";`,
      ];
      assert.deepEqual(await missing(live), expected);
      await paste(live, expected);
      assert.deepEqual(await missing(live), []);
      await live.register();
      const tenant = new LiveTenant(live);
      await tenant.open();
      await tenant.remove();
    });

    it('is told by the Tenant that meets it first, too', async () => {
      const live = await login('createdb createrole');
      await live.admin(`create schema pgtenancy authorization "${live.manager}"`);
      await live.register();
      const tenant = new LiveTenant(live);
      await tenant.createRole();
      await live.admin(`alter role "${live.manager}" nocreatedb`);
      const trouble = await troubleOf(tenant.steps.createDatabase(await tenant.handle()));
      assert.equal(trouble.reason, 'RightsMissing');
      assert.equal((await tenant.observe()).role.registered?.selfGranted, false);
      await paste(live, statementIn(trouble.message));
      await tenant.createDatabase();
      await tenant.remove();
    });

    it('is no right to create once the registry is there', async () => {
      const live = await login('createdb createrole');
      await live.admin(`create schema pgtenancy authorization "${live.manager}"`);
      assert.deepEqual(await missing(live), []);
      await live.register();
    });

    it('is INHERIT before version 16 only', async () => {
      const live = await login('createdb createrole noinherit');
      await live.admin(`create schema pgtenancy authorization "${live.manager}"`);
      const expected = major < 16 ? [`alter role "${live.manager}" inherit;`] : [];
      assert.deepEqual(await missing(live), expected);
      await paste(live, expected);
      await live.register();
      const tenant = new LiveTenant(live);
      await tenant.open();
      await tenant.remove();
    });

    it('is the registry that a superuser made, until it is handed over', async () => {
      const live = await login('createdb createrole');
      const { name: username, password } = postgres.superuser;
      const before = new LiveServer(postgres, {
        ...live.target,
        username,
        password: new Secret(password),
      });
      opened.push(before);
      await before.register();
      const old = new LiveTenant(before);
      await old.open();
      const expected = ['schema', 'table', 'table', 'table'].map((kind, index) => {
        const name = ['pgtenancy', 'pgtenancy.instance', 'pgtenancy.meta', 'pgtenancy.tenant'][index];
        return `alter ${kind} ${name ?? ''} owner to "${live.manager}";`;
      });
      assert.deepEqual(await missing(live), expected);
      await assert.rejects(live.server.observe.registry(), { reason: 'PermissionDenied' });
      await paste(live, expected);
      assert.deepEqual(await missing(live), []);
      const tenant = old.through(live);
      if (major >= 16) {
        const trouble = await troubleOf(tenant.steps.close(await tenant.handle()));
        assert.equal(trouble.reason, 'RightsMissing');
        await paste(live, statementIn(trouble.message));
      }
      await tenant.remove();
      assert.equal((await tenant.observe()).row, null);
    });

    it('is what everybody may do, or an owner with what is its own, where that was revoked', async () => {
      const live = await login('createdb createrole');
      await live.admin(`create schema pgtenancy authorization "${live.manager}"`);
      await live.register();
      const tenant = new LiveTenant(live);
      await tenant.open();
      const hardened = [
        'revoke select on pg_stat_activity, pg_auth_members, pg_prepared_xacts, pg_replication_slots from public',
        'revoke select (subname, subdbid) on pg_subscription from public',
        'revoke execute on function pg_terminate_backend(int, bigint) from public',
        `revoke all on schema pgtenancy from "${live.manager}"`,
        `revoke all on all tables in schema pgtenancy from "${live.manager}"`,
      ];
      await paste(live, hardened);
      const told = await missing(live);
      assert.equal(told.length, 20);
      await paste(live, told);
      assert.deepEqual(await missing(live), []);
      await live.server.observe.blockers(await tenant.handle());
      await tenant.remove();
    });

    it('is ADMIN of its own on the role of a Tenant, which the one that made it hands on', async () => {
      const before = await login('createdb createrole');
      await before.admin(`create schema pgtenancy authorization "${before.manager}"`);
      await before.register();
      const old = new LiveTenant(before);
      await old.open();
      const heir = new LiveServer(postgres, { ...before.target, username: 'heir' });
      opened.push(heir);
      await heir.admin(
        `create role heir login createdb createrole password 'p'; grant "${before.manager}" to heir`,
      );
      await paste(heir, await missing(heir));
      const tenant = old.through(heir);
      await heir.admin(`grant connect on database ${tenant.databaseName} to public`);
      if (major >= 16) {
        const trouble = await troubleOf(tenant.steps.openDatabase(await tenant.handle()));
        assert.equal(trouble.reason, 'RightsMissing');
        await paste(heir, statementIn(trouble.message));
      }
      await tenant.steps.openDatabase(await tenant.handle());
      await tenant.steps.retain(await tenant.handle());
      const left = await heir.admin(
        `select from pg_auth_members where roleid = $1::regrole and member = 'heir'::regrole and not admin_option`,
        [tenant.roleName],
      );
      assert.equal(left.length, 0);
    });

    it('is the right to connect', async () => {
      const live = await login('createdb createrole');
      const { managementDatabase } = live.target;
      await live.admin(`revoke connect on database "${managementDatabase}" from public`);
      const trouble = await troubleOf(live.server.observe.server());
      assert.equal(trouble.reason, 'RightsMissing');
      const grant = `grant connect on database "${managementDatabase}" to "${live.manager}"`;
      assert.equal(
        trouble.message,
        `management login "${live.manager}" may not connect to database "${managementDatabase}"; a superuser runs: ${grant}`,
      );
      await paste(live, [grant]);
      const again = new LiveServer(postgres, live.target);
      opened.push(again);
      assert.equal((await again.server.observe.server()).currentUser, live.manager);
    });

    it('is CREATEROLE, told when a role cannot be made without it', async () => {
      const live = await login('createdb createrole');
      await live.admin(`create schema pgtenancy authorization "${live.manager}"`);
      await live.register();
      await live.admin(`alter role "${live.manager}" nocreaterole`);
      const tenant = new LiveTenant(live);
      await tenant.steps.claim(await tenant.handle(), { namespace: 'team', name: 'app' });
      const trouble = await troubleOf(tenant.steps.createRole(await tenant.handle(), new Secret('p'), -1));
      assert.equal(trouble.reason, 'RightsMissing');
      assert.deepEqual(statementIn(trouble.message), [`alter role "${live.manager}" createrole`]);
    });

    it('is the adminRole, missing or not its own', async () => {
      const group = await setUpManagementRole(postgres);
      const member = new LiveServer(postgres, targetOf(group));
      opened.push(member);
      const other = await login();
      const { username, password } = other.target;
      const refused = async (adminRole: string) => {
        const live = new LiveServer(postgres, { ...member.target, username, password, adminRole });
        opened.push(live);
        const trouble = await troubleOf(live.server.observe.server());
        return { trouble, live };
      };
      const connect = await refused('pgtenancy_admin');
      assert.equal(connect.trouble.reason, 'RightsMissing');
      const join = `grant "pgtenancy_admin" to "${username}"`;
      assert.ok(connect.trouble.message.includes(`; a superuser runs: ${join}; grant connect on database `));
      await paste(member, statementIn(connect.trouble.message));
      await member.admin(`revoke "pgtenancy_admin" from "${username}"`);
      const stranger = await refused('pgtenancy_admin');
      assert.equal(stranger.trouble.reason, 'AdminRoleUnusable');
      assert.equal(
        stranger.trouble.message,
        `management login "${username}" may not switch to role "pgtenancy_admin" (spec.adminRole); a superuser runs: grant "pgtenancy_admin" to "${username}" with set true (before PostgreSQL 16 without "with set true")`,
      );
      const nobody = await refused('No Such Role');
      assert.equal(nobody.trouble.reason, 'AdminRoleUnusable');
      if (major >= 16) await member.admin(`grant pgtenancy_admin to "${username}" with set false`);
      await paste(member, [
        ...statementIn(stranger.trouble.message).map((text) => forThisVersion(text)),
        ...statementIn(nobody.trouble.message),
      ]);
      for (const adminRole of ['pgtenancy_admin', 'No Such Role']) {
        const live = new LiveServer(postgres, { ...member.target, username, password, adminRole });
        opened.push(live);
        const { currentUser } = await live.server.observe.server();
        assert.equal(currentUser, adminRole);
      }
    });

    it('is nothing for the role of the documentation', async () => {
      const live = opened.find(({ target }) => target.username === 'pgtenancy_login');
      assert.deepEqual(live && (await missing(live)), []);
    });
  });
}
