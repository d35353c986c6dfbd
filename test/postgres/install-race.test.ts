import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { waitFor } from '../world/servers/wait-for.ts';
import { type LiveServer, LiveTenant, startLiveServer } from './live-server.ts';

const planted = `create function public.planted() returns int language sql return 1`;

describe('an extension of the management role in a database of a tenant that interferes', () => {
  let live: LiveServer;
  before(async () => {
    live = await startLiveServer({ settings: { max_prepared_transactions: '4', log_statement: 'ddl' } });
  });
  after(() => live.close());

  const opened = async () => {
    const tenant = new LiveTenant(live);
    await tenant.open();
    return tenant;
  };
  const install = async (tenant: LiveTenant, name = 'pageinspect', schema?: string) => {
    const extension = { name, schema, version: undefined, as: 'management' } as const;
    await tenant.steps.installExtension(await tenant.handle(), tenant.password, extension);
  };
  const asTenant = async (tenant: LiveTenant, statement: string) => {
    const owner = await tenant.connect();
    try {
      await owner.query(statement);
    } finally {
      await owner.end().catch(() => undefined);
    }
  };
  /** What a login sees: proves that the role may log in. */
  const look = async (tenant: LiveTenant) => {
    const seen = await tenant.session();
    assert.equal(seen.kind, 'proven');
    return { names: seen.extensions.map(({ name }) => name).sort(), pristine: seen.pristine };
  };
  const refused = { reason: 'RequiresSuperuser', message: /^the database is in use already/ };
  const untouched = ['plpgsql'];

  it('is installed in a pristine database, and the role may log in again', async () => {
    const tenant = await opened();
    await install(tenant, 'pageinspect', 'inspect');
    assert.deepEqual(await look(tenant), { names: ['pageinspect', 'plpgsql'], pristine: true });
    await install(tenant, 'pageinspect', 'inspect');
    assert.equal((await look(tenant)).pristine, true);
  });

  it('is made only while the role is NOLOGIN', async () => {
    const tenant = await opened();
    const before = live.postgres.log().length;
    await install(tenant);
    const ddl = live.postgres
      .log()
      .slice(before)
      .matchAll(/statement: *(alter role|create extension if not exists) ("?\w+"?) *(\w*)/g);
    const role = `"${tenant.roleName}"`;
    assert.deepEqual(
      [...ddl].map(([, what, name, option]) => [what, name, option]),
      [
        ['alter role', role, 'nologin'],
        ['create extension if not exists', '"pageinspect"', 'schema'],
        ['alter role', role, 'login'],
      ],
    );
  });

  it('is never made after a function of a tenant that connects over and over', async () => {
    for (let round = 0; round < 4; round += 1) {
      const tenant = await opened();
      let going = true;
      const attack = async () => {
        while (going) await asTenant(tenant, planted).catch(() => undefined);
      };
      const attacks = [attack(), attack()];
      await install(tenant).catch((error: unknown) => {
        assert.equal(Reflect.get(error as object, 'reason'), 'RequiresSuperuser');
      });
      going = false;
      await Promise.all(attacks);
      const [order] = await live.admin<{ wrong: boolean }>(
        `select exists (select from pg_extension e, pg_proc p
                         where e.extname = 'pageinspect' and p.proname = 'planted' and p.oid < e.oid) as wrong`,
        [],
        tenant.databaseName,
      );
      assert.deepEqual(order, { wrong: false });
      assert.equal((await tenant.observe()).role.registered?.canLogin, true);
    }
  });

  it('ends a session that holds an uncommitted function, which never comes to be', async () => {
    const tenant = await opened();
    const attacker = await tenant.connect();
    await attacker.query('begin');
    await attacker.query(planted);
    await install(tenant);
    await assert.rejects(attacker.query('commit'));
    await attacker.end().catch(() => undefined);
    assert.deepEqual(await look(tenant), { names: ['pageinspect', 'plpgsql'], pristine: true });
  });

  it('is refused when a function was committed after the first look', async () => {
    const tenant = await opened();
    assert.equal((await look(tenant)).pristine, true);
    await asTenant(tenant, planted);
    await assert.rejects(install(tenant), refused);
    assert.deepEqual(await look(tenant), { names: untouched, pristine: false });
  });

  it('is refused while a prepared transaction could bring a function later', async () => {
    const tenant = await opened();
    await asTenant(tenant, `begin; ${planted}; prepare transaction 'later'`);
    assert.equal((await look(tenant)).pristine, false);
    await assert.rejects(install(tenant), refused);
    await live.admin(`rollback prepared 'later'`, [], tenant.databaseName);
    assert.deepEqual(await look(tenant), { names: untouched, pristine: true });
  });

  const accomplices: readonly (readonly [string, string])[] = [
    ['grant connect on database %tenant to %friend', 'revoke connect on database %tenant from %friend'],
    ['grant %tenant to %friend', 'revoke %tenant from %friend'],
  ];
  for (const [give, take] of accomplices) {
    it(`is refused while somebody else may enter the database after ${give}`, async () => {
      const tenant = await opened();
      const friend = await opened();
      const filled = (statement: string) =>
        statement.replace('%tenant', tenant.roleName).replace('%friend', friend.roleName);
      await live.admin(filled(give));
      await assert.rejects(install(tenant), {
        reason: 'RequiresSuperuser',
        message: /^other roles than the tenant may connect to the database already/,
      });
      await live.admin(filled(take));
      await install(tenant);
      assert.deepEqual((await look(tenant)).names, ['pageinspect', 'plpgsql']);
    });
  }

  it('is not hindered by a tenant that holds a lock on its own role', async () => {
    const tenant = await opened();
    const attacker = await tenant.connect();
    await attacker.query(`begin; alter role ${tenant.roleName} set work_mem = '4MB'`);
    await install(tenant);
    await attacker.end().catch(() => undefined);
    assert.deepEqual((await look(tenant)).names, ['pageinspect', 'plpgsql']);
  });

  it('that fails leaves a role that may log in', async () => {
    const tenant = await opened();
    await assert.rejects(install(tenant, 'no_such_extension'), { reason: 'ExtensionUnavailable' });
    await assert.rejects(install(tenant, 'earthdistance'), { reason: 'ExtensionRequires' });
    assert.deepEqual(await look(tenant), { names: untouched, pristine: true });
  });

  it('may be installed by two replicas at once, of which one may have to try again', async () => {
    const tenant = await opened();
    const both = await Promise.allSettled([install(tenant), install(tenant)]);
    for (const outcome of both) {
      if (outcome.status === 'fulfilled') continue;
      const reason = String(Reflect.get(outcome.reason as object, 'reason'));
      assert.ok(
        ['Busy', 'StaleDecision', 'InstanceUnreachable', 'LoginRefused', 'LockHeld'].includes(reason),
        reason,
      );
    }
    await waitFor('the extension', () =>
      install(tenant).then(
        () => true,
        () => false,
      ),
    );
    assert.deepEqual((await look(tenant)).names, ['pageinspect', 'plpgsql']);
  });
});
