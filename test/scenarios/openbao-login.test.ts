import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { shortestQuietMs } from '../../src/openbao/login-tokens.ts';
import { operatorRole } from '../world/operator-login.ts';
import { callOpenBao, type OpenBaoRequest } from '../world/servers/openbao-api.ts';
import { assertNothingLeaked } from './canaries.ts';
import { conditionOf } from './conditions.ts';
import { heldUpOne } from './held-up.ts';
import { raise, type Stage } from './stage.ts';
import { ready, untilCondition, untilReady } from './tenants.ts';

let stage: Stage;
before(async () => {
  stage = await raise();
});
after(() => stage.close());

const rolePath = `auth/kubernetes/role/${operatorRole}`;
const root = (method: OpenBaoRequest['method'], path: string, body?: object) =>
  callOpenBao(stage.world.openBao.root, { method, path, ...(body === undefined ? {} : { body }) });

test("A Tenant becomes Ready by the login of the operator's service account", async () => {
  await ready(stage, 'early');
});

test('While OpenBao refuses the login a new Tenant makes nothing, and one that is Ready stays so', async () => {
  const { data: role } = (await root('GET', rolePath)) as { data: object };
  // Only after this time the login is told, and not the lack of a right.
  await sleep(shortestQuietMs + 500);
  await stage.world.openBaoTokens.renew();
  await root('DELETE', rolePath);
  await root('PUT', 'sys/leases/revoke-prefix/auth/kubernetes/login');
  const refused = { status: 'Unknown', reason: 'OpenBaoLoginFailed' } as const;
  const said = await heldUpOne(stage, { name: 'late', spec: {}, ...refused });
  assert.match(said, /the role does not exist; create it, or put OPENBAO_ROLE right$/);
  const early = await untilCondition(stage, 'early', 'CredentialCreated', refused);
  assert.equal(conditionOf(early, 'Ready')?.status, 'True');
  await root('POST', rolePath, role);
  await Promise.all([untilReady(stage, 'early'), untilReady(stage, 'late')]);
});

test('None of this showed a password or a token', () => assertNothingLeaked(stage));
