import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { type LiveServer, LiveTenant, startLiveServer } from './live-server.ts';

describe('a database that a superuser is to enter', () => {
  let live: LiveServer;
  let tenant: LiveTenant;
  before(async () => {
    live = await startLiveServer();
    tenant = new LiveTenant(live);
    await tenant.open();
  });
  after(() => live.close());

  const isPristine = async () => {
    const seen = await tenant.session();
    assert.equal(seen.kind, 'proven');
    return seen.pristine;
  };
  const asTenant = async (statement: string) => {
    const owner = await tenant.connect();
    await owner.query(statement);
    await owner.end();
  };

  it('is pristine when it is new, also with schemas and what extensions brought', async () => {
    assert.equal(await isPristine(), true);
    await asTenant('create schema extra; create extension citext schema extra; create extension hstore');
    await live.admin(
      `create extension cube; create extension earthdistance; create extension postgres_fdw;
       create extension pg_stat_statements; create extension seg`,
      [],
      tenant.databaseName,
    );
    assert.equal(await isPristine(), true);
  });

  const objects: readonly (readonly [string, string])[] = [
    ['create table made (n int primary key)', 'drop table made'],
    ['create view made as select 1 as n', 'drop view made'],
    ['create sequence made', 'drop sequence made'],
    [`create function made() returns int language sql return 1`, 'drop function made()'],
    [`create type made as enum ('a')`, 'drop type made'],
    ['create type made as (n int)', 'drop type made'],
    ['create domain made as int', 'drop domain made'],
    [
      'create operator === (leftarg = int, rightarg = int, function = int4eq)',
      'drop operator === (int, int)',
    ],
    ['create collation made from "C"', 'drop collation made'],
    ['create text search configuration made (copy = simple)', 'drop text search configuration made'],
    ['create publication made', 'drop publication made'],
    [
      `create function made() returns int language sql return 1; alter extension citext add function made()`,
      'alter extension citext drop function made(); drop function made()',
    ],
  ];
  for (const [create, drop] of objects) {
    it(`is not after ${create}`, async () => {
      await asTenant(create);
      assert.equal(await isPristine(), false);
      await asTenant(drop);
      assert.equal(await isPristine(), true);
    });
  }
});
