import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { askOpenBao, callOpenBao, type OpenBaoRequest } from '../world/servers/openbao-api.ts';
import { waitFor } from '../world/servers/wait-for.ts';
import { installation } from '../world/names.ts';
import { changingNothing } from './belongings.ts';
import { assertNothingLeaked } from './canaries.ts';
import { conditionOf } from './conditions.ts';
import { heldUpOne } from './held-up.ts';
import { inPostgres, query, secretOf } from './sql.ts';
import { raise, type Stage } from './stage.ts';
import { recordsIn, resyncs } from './stillness.ts';
import { apply, look, tenant, untilCondition, untilReady } from './tenants.ts';

let stage: Stage;
before(async () => {
  stage = await raise();
});
after(() => stage.close());

const root = (request: OpenBaoRequest) => callOpenBao(stage.world.openBao.root, request);
const mountPath = () => `sys/mounts/${stage.world.kvSetUp.mount}`;
const configPath = () => `${stage.world.kvSetUp.mount}/config`;

const unmount = () => root({ method: 'DELETE', path: mountPath() });
const mount = (version: '1' | '2') =>
  root({ method: 'POST', path: mountPath(), body: { type: 'kv', options: { version } } });

const invalid = { status: 'Unknown', reason: 'OpenBaoMountInvalid', spec: {} } as const;

test('A Tenant whose OpenBao mount is missing says so and makes nothing', async () => {
  await unmount();
  const said = await heldUpOne(stage, { name: 'early', ...invalid });
  assert.match(said, /^cannot read the credential: .*mount/);
});

test('A Tenant whose OpenBao mount is KV version 1 says so and makes nothing', async () => {
  await mount('1');
  assert.match(await heldUpOne(stage, { name: 'early', ...invalid }), /is not KV version 2/);
  await unmount();
});

test('It goes on by itself once the mount is there', async () => {
  await mount('2');
  // A new mount refuses everything for a moment, while it upgrades itself.
  const config = { method: 'POST', path: configPath(), body: { cas_required: true } } as const;
  await waitFor('the mount', async () => (await askOpenBao(stage.world.openBao.root, config)).status < 300);
  await untilReady(stage, 'early');
});

test('While OpenBao forbids everything a new Tenant makes nothing, and one that is Ready keeps what it has', async () => {
  const policy = { method: 'GET', path: `sys/policies/acl/operator-${installation}` } as const;
  const { data } = (await root(policy)) as { data: { policy: string } };
  const put = (text: string) => root({ ...policy, method: 'POST', body: { policy: text } });
  await put('path "nothing" { capabilities = ["read"] }');
  const forbidden = { name: 'barred', spec: {}, status: 'Unknown', reason: 'OpenBaoForbidden' } as const;
  assert.match(await heldUpOne(stage, forbidden), /policy/);
  await untilCondition(stage, 'early', 'CredentialCreated', {
    status: 'Unknown',
    reason: 'OpenBaoForbidden',
  });
  assert.equal(conditionOf(await look(stage, 'early'), 'Ready')?.status, 'True');
  assert.deepEqual(await query(await secretOf(stage, 'early'), 'select 1 as one'), [{ one: 1 }]);
  await put(data.policy);
  await Promise.all([untilReady(stage, 'early'), untilReady(stage, 'barred')]);
});

test('A mount that deletes versions after a time is told before there is a record, a role or a database', async () => {
  const set = (time: string) =>
    root({ method: 'POST', path: configPath(), body: { delete_version_after: time } });
  await set('1h');
  await apply(stage, tenant('fading'));
  const expires = { status: 'False', reason: 'OpenBaoExpiresRecords' };
  await untilCondition(stage, 'fading', 'Ready', expires);
  // The names are claimed by then, and nothing else is made.
  const held = await changingNothing(stage, async () => {
    await resyncs(stage, ['fading'], 2);
    return untilCondition(stage, 'fading', 'Ready', expires);
  });
  assert.match(conditionOf(held, 'Ready')?.message ?? '', /set delete_version_after of the mount to 0/);
  assert.deepEqual(await inPostgres(stage, 'shop_fading'), { row: 'Active' });
  assert.deepEqual(
    Object.keys(await recordsIn(stage)).filter((path) => path.includes('/fading/')),
    [],
  );
  await set('0s');
  await untilReady(stage, 'fading');
});

test('None of this showed a password or a token', () => assertNothingLeaked(stage));
