import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { tenantPhases, type TenantPhase } from '../../src/api/tenant.ts';
import { secrets } from '../world/kubernetes/resources.ts';
import { assertNothingLeaked } from './canaries.ts';
import { conditionOf, phaseOf } from './conditions.ts';
import { assertClimbed } from './recorder.ts';
import { asTenant, query, secretOf, sql } from './sql.ts';
import { raise, type Stage } from './stage.ts';
import { recordsIn, resyncs, settled } from './stillness.ts';
import { change, ready, until, untilCondition, untilReady } from './tenants.ts';

let stage: Stage;
before(async () => {
  stage = await raise();
});
after(() => stage.close());

const extensionsOf = async (name: string): Promise<string[]> => {
  const text = "select extname from pg_catalog.pg_extension where extname <> 'plpgsql' order by 1";
  return (await asTenant<{ extname: string }>(stage, name, text)).map(({ extname }) => extname);
};

const versionsOf = async (name: string): Promise<unknown> => {
  const records = Object.entries(await recordsIn(stage)).filter(([path]) => path.includes(`/${name}/`));
  return records.map(([, metadata]) => (metadata as { current_version: number }).current_version);
};

test('A new rotation value makes a new password, once; the old one is dead', async () => {
  await ready(stage, 'rotating');
  const before = await secretOf(stage, 'rotating');
  for (const [value, version] of [
    ['2026-01', 2],
    ['2026-02', 3],
  ] as const) {
    await change(stage, 'rotating', { credentialRotation: value });
    const { status } = await untilReady(stage, 'rotating');
    assert.equal((status?.['credential'] as { version: number }).version, version);
    await settled(stage, 'rotating');
    await resyncs(stage, ['rotating'], 2);
    assert.deepEqual(await versionsOf('rotating'), [version]);
  }
  const now = await secretOf(stage, 'rotating');
  assert.notEqual(now['password'], before['password']);
  assert.deepEqual(await query(now, 'select 1 as one'), [{ one: 1 }]);
  await assert.rejects(query(before, 'select 1'), { code: '28P01' });
});

test('While a password is rotated the Secret stays, and the phase falls no lower than it must', async () => {
  const secret = await stage.kube.get(secrets, 'rotating-postgresql', 'shop');
  const phases = (await stage.recorder.phasesOf('rotating')).length;
  await change(stage, 'rotating', { credentialRotation: '2026-03' });
  await untilReady(stage, 'rotating');
  for (const phase of (await stage.recorder.phasesOf('rotating')).slice(phases)) {
    assert.ok(tenantPhases.indexOf(phase as TenantPhase) >= tenantPhases.indexOf('DatabaseCreated'), phase);
  }
  const now = await stage.kube.get(secrets, 'rotating-postgresql', 'shop');
  assert.equal(now?.metadata.uid, secret?.metadata.uid);
  assert.notEqual(now?.data?.['password'], secret?.data?.['password']);
  assert.deepEqual(await asTenant(stage, 'rotating', 'select 1 as one'), [{ one: 1 }]);
});

test('Extensions that are appended are installed while the Tenant is in use', async () => {
  await ready(stage, 'growing', { extensions: [{ name: 'citext' }] });
  const extensions = [{ name: 'citext' }, { name: 'hstore', schema: 'things' }, { name: 'pgcrypto' }];
  await change(stage, 'growing', { extensions });
  await until(stage, 'growing', 'to have its extensions', (object) => {
    const installed = conditionOf(object, 'ExtensionsInstalled');
    return installed?.status === 'True' && installed.observedGeneration === object.metadata.generation;
  });
  // It was Ready all the while.
  assertClimbed(await stage.recorder.phasesOf('growing'));
  assert.deepEqual(await extensionsOf('growing'), ['citext', 'hstore', 'pgcrypto']);
});

test('An appended extension that cannot be had is told, and holds up neither the Tenant nor the good ones', async () => {
  await ready(stage, 'wishing', { extensions: [{ name: 'citext' }] });
  const extensions = [{ name: 'citext' }, { name: 'no_such_extension' }, { name: 'hstore' }];
  await change(stage, 'wishing', { extensions });
  const held = await untilCondition(stage, 'wishing', 'ExtensionsInstalled', {
    status: 'False',
    reason: 'ExtensionUnavailable',
  });
  assert.match(conditionOf(held, 'ExtensionsInstalled')?.message ?? '', /"no_such_extension"/);
  const settledTenant = await untilReady(stage, 'wishing');
  assert.equal(phaseOf(settledTenant), 'Ready');
  assert.equal(conditionOf(settledTenant, 'Stalled')?.reason, 'ExtensionUnavailable');
  assert.deepEqual(await extensionsOf('wishing'), ['citext', 'hstore']);
});

test('An extension that needs a superuser is not installed once the application was let in', async () => {
  await ready(stage, 'late');
  await change(stage, 'late', { extensions: [{ name: 'pg_buffercache' }] });
  const held = await untilCondition(stage, 'late', 'ExtensionsInstalled', {
    status: 'False',
    reason: 'RequiresSuperuser',
  });
  const message = conditionOf(held, 'ExtensionsInstalled')?.message ?? '';
  const statement = /in database "shop_late": (.*)$/.exec(message)?.[1] ?? '';
  await sql(stage, statement, { database: 'shop_late' });
  await untilCondition(stage, 'late', 'ExtensionsInstalled', { status: 'True' });
});

test('What the application installs itself is left alone', async () => {
  await ready(stage, 'own');
  await asTenant(stage, 'own', 'create extension hstore');
  await settled(stage, 'own');
  await resyncs(stage, ['own'], 2);
  assert.deepEqual(await extensionsOf('own'), ['hstore']);
});

test('A new connection limit is set on the role', async () => {
  await ready(stage, 'limited');
  await change(stage, 'limited', { connectionLimit: 1 });
  await untilReady(stage, 'limited');
  const text = "select rolconnlimit from pg_catalog.pg_roles where rolname = 'shop_limited'";
  assert.deepEqual(await sql(stage, text), [{ rolconnlimit: 1 }]);
});

test('None of this showed a password or a token', () => assertNothingLeaked(stage));
