import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { Secret } from '../../src/secret.ts';
import { waitFor } from '../world/servers/wait-for.ts';
import { type LiveServer, LiveTenant, startLiveServer } from './live-server.ts';

describe("a login with the application's credential", () => {
  let live: LiveServer;
  before(async () => {
    live = await startLiveServer({
      hba: [
        'host all trusting all trust',
        'host all clear all password',
        'host all barred all reject',
        'host all hashed all md5',
      ],
    });
  });
  after(() => live.close());

  const opened = async (name?: string) => {
    const tenant = new LiveTenant(live, name);
    await tenant.open();
    return tenant;
  };

  it('proves the password, lists extensions and what the server offers', async () => {
    const tenant = await opened();
    await live.admin('create extension citext', [], tenant.databaseName);
    const seen = await tenant.session(['citext', 'earthdistance', 'no_such_extension']);
    assert.equal(seen.kind, 'proven');
    assert.deepEqual(
      seen.extensions.map(({ name, schema }) => `${schema}.${name}`),
      ['public.citext', 'pg_catalog.plpgsql'],
    );
    const offers = new Map(
      seen.offers.filter(({ isDefault }) => isDefault).map((offer) => [offer.name, offer]),
    );
    assert.deepEqual([...offers.keys()], ['citext', 'earthdistance']);
    assert.equal(offers.get('citext')?.trusted, true);
    assert.equal(offers.get('earthdistance')?.trusted, false);
    assert.deepEqual(offers.get('earthdistance')?.requires, ['cube']);
    assert.deepEqual(
      await live.server.observe.extensions(['citext', 'earthdistance', 'no_such_extension']),
      seen.offers,
    );
  });

  it('is rejected for a wrong password, and only for that', async () => {
    const tenant = await opened();
    await live.admin(`alter role ${tenant.roleName} password 'changed by somebody'`);
    assert.deepEqual(await tenant.session(), { kind: 'rejected' });
    await tenant.steps.setPassword(await tenant.handle(), tenant.password);
    assert.equal((await tenant.session()).kind, 'proven');
  });

  const refusals: readonly (readonly [string, (name: string) => string, RegExp])[] = [
    ['NOLOGIN', (name) => `alter role ${name} nologin`, /: the role is NOLOGIN; it is given LOGIN again$/],
    [
      'a closed database',
      (name) => `alter database ${name} allow_connections false`,
      /: the database does not accept connections; a database administrator allows them$/,
    ],
    [
      'a revoked CONNECT',
      (name) => `revoke connect on database ${name} from ${name}`,
      /: the role lacks CONNECT on the database; a database administrator grants it$/,
    ],
  ];
  for (const [what, statement, message] of refusals) {
    it(`is LoginRefused for ${what}`, async () => {
      const tenant = await opened();
      await live.admin(statement(tenant.databaseName));
      await assert.rejects(tenant.session(), { reason: 'LoginRefused', message });
    });
  }

  it('proves the password also while the application uses up its connections', async () => {
    const tenant = await opened();
    await live.admin(`alter role ${tenant.roleName} connection limit 1`);
    const application = await tenant.connect();
    assert.deepEqual(await tenant.session(), { kind: 'authenticated' });
    const extension = { name: 'citext', schema: undefined, version: undefined, as: 'tenant' } as const;
    await assert.rejects(
      async () => tenant.steps.installExtension(await tenant.handle(), tenant.password, extension),
      { reason: 'LoginDelayed', message: /no connection left/ },
    );
    await application.end();
    await waitFor('a free connection', () =>
      tenant.session().then(
        ({ kind }) => kind === 'proven',
        () => false,
      ),
    );
  });

  it('is only delayed when the server is full before it looks at the password', async () => {
    const tenant = await opened();
    const handle = await tenant.handle();
    const [limit] = await live.admin<{ n: string }>(`select current_setting('max_connections') as n`);
    const others: Awaited<ReturnType<typeof live.connect>>[] = [];
    try {
      for (let index = 0; index < Number(limit?.n); index += 1) others.push(await live.connect());
      assert.fail('the server was never full');
    } catch (error) {
      assert.equal(Reflect.get(error as object, 'code'), '53300');
      await assert.rejects(live.server.observe.session(handle, tenant.password, []), {
        reason: 'LoginDelayed',
        message: /no connection left/,
      });
    } finally {
      await Promise.all(others.map((other) => other.end()));
    }
  });

  it('is LoginRefused by pg_hba.conf, without the address that it was refused from', async () => {
    const tenant = await opened('barred');
    await assert.rejects(tenant.session(), {
      reason: 'LoginRefused',
      message:
        'role "barred" cannot log in to database "barred": a database administrator adds a line to pg_hba.conf that lets it in with scram-sha-256',
    });
  });

  it('proves nothing under trust, whatever the password', async () => {
    const tenant = await opened('trusting');
    const observe = async (password: Secret) =>
      await live.server.observe.session(await tenant.handle(), password, []);
    await assert.rejects(observe(tenant.password), { reason: 'LoginUnverifiable' });
    await assert.rejects(observe(new Secret('wrong')), { reason: 'LoginUnverifiable' });
  });

  it('never gives the password away in clear text or as md5', async () => {
    await assert.rejects((await opened('clear')).session(), { reason: 'InsecureAuthentication' });
    const hashed = await opened('hashed');
    await live.admin(`set password_encryption = md5; alter role hashed password 'x'`);
    await assert.rejects(hashed.session(), { reason: 'InsecureAuthentication' });
  });

  it('is stale when the database is gone or another one has its name', async () => {
    const tenant = await opened();
    const { databaseName: name } = tenant;
    await live.admin(`drop database ${name}`);
    await assert.rejects(tenant.session(), { reason: 'StaleDecision' });
    await live.admin(`create database ${name}`);
    await assert.rejects(tenant.session(), { reason: 'StaleDecision' });
    const install = { name: 'citext', schema: undefined, version: undefined, as: 'tenant' } as const;
    await assert.rejects(
      async () => tenant.steps.installExtension(await tenant.handle(), tenant.password, install),
      { reason: 'StaleDecision' },
    );
  });
});

describe('an extension', () => {
  let live: LiveServer;
  let tenant: LiveTenant;
  before(async () => {
    live = await startLiveServer();
    tenant = new LiveTenant(live);
    await tenant.open();
  });
  after(() => live.close());

  const install = async (
    name: string,
    as: 'tenant' | 'management' = 'tenant',
    more: { schema?: string; version?: string } = {},
  ) => {
    const extension = { name, as, schema: more.schema, version: more.version };
    await tenant.steps.installExtension(await tenant.handle(), tenant.password, extension);
  };
  const installed = () =>
    live.admin(
      `select e.extname as name, n.nspname as schema, e.extowner::regrole::text as owner, n.nspowner::regrole::text as "schemaOwner"
         from pg_extension e join pg_namespace n on n.oid = e.extnamespace where extname <> 'plpgsql' order by 1`,
      [],
      tenant.databaseName,
    );

  it('that is trusted belongs to the tenant, like the schema that is made for it', async () => {
    await install('citext', 'tenant', { schema: 'Odd "schema"' });
    await install('citext', 'tenant', { schema: 'Odd "schema"' });
    assert.deepEqual(await installed(), [
      { name: 'citext', schema: 'Odd "schema"', owner: tenant.roleName, schemaOwner: tenant.roleName },
    ]);
  });

  it('that is not trusted is made by the management role, in a schema of the tenant', async () => {
    await assert.rejects(install('earthdistance', 'management'), { reason: 'ExtensionRequires' });
    await install('cube');
    await assert.rejects(install('earthdistance'), { reason: 'RequiresSuperuser' });
    await install('earthdistance', 'management', { schema: 'geo' });
    const made = (await installed()).find(({ name }) => name === 'earthdistance');
    assert.deepEqual(made, {
      name: 'earthdistance',
      schema: 'geo',
      owner: 'postgres',
      schemaOwner: tenant.roleName,
    });
  });

  it('that the server does not offer, or not in this version, is ExtensionUnavailable', async () => {
    await assert.rejects(install('no_such_extension'), { reason: 'ExtensionUnavailable' });
    await assert.rejects(install('hstore', 'tenant', { version: '99' }), {
      reason: 'ExtensionUnavailable',
      message: 'cannot install extension "hstore": the server does not offer this version',
    });
    await install('hstore', 'tenant', { version: '1.7' });
    const seen = await tenant.session();
    assert.equal(
      seen.kind === 'proven' && seen.extensions.find(({ name }) => name === 'hstore')?.version,
      '1.7',
    );
  });

  it('is not taken for installed because the tenant has a type of the same name', async () => {
    const owner = await tenant.connect();
    await owner.query('create schema planted; create type planted.ltree as (n int)');
    // The session must live on after the error, to look what is there.
    await owner.query(`alter database ${tenant.databaseName} set exit_on_error = on`);
    await owner.end();
    await assert.rejects(install('ltree', 'tenant', { schema: 'planted' }), {
      reason: 'ServerError',
      message: 'cannot install extension "ltree": PostgreSQL says: type "ltree" already exists',
    });
    assert.ok(!(await installed()).some(({ name }) => name === 'ltree'));
  });

  it('may be installed by two replicas at once', async () => {
    const both = await Promise.allSettled([install('pg_trgm'), install('pg_trgm')]);
    assert.deepEqual(
      both.map(({ status }) => status),
      ['fulfilled', 'fulfilled'],
    );
  });

  it('is not installed with a password that the server does not take', async () => {
    const extension = { name: 'ltree', as: 'tenant', schema: undefined, version: undefined } as const;
    await assert.rejects(
      async () => tenant.steps.installExtension(await tenant.handle(), new Secret('wrong'), extension),
      { reason: 'PasswordRejected' },
    );
  });
});
