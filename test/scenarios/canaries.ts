import assert from 'node:assert/strict';

import { z } from 'zod';

import { events, externalSecrets, instances, secrets, tenants } from '../world/kubernetes/resources.ts';
import type { Stage } from './stage.ts';
import { recordsIn } from './stillness.ts';

/** No password and no token that was in use shows up anywhere but in OpenBao and in Secrets. */
export async function assertNothingLeaked(stage: Stage): Promise<void> {
  const passwords = await passwordsIn(stage);
  assert.ok(passwords.size > 0, 'no password was made at all');
  const { management, openBao, kvSetUp, postgres, openBaoTokens, hookAccess } = stage.world;
  const canaries = [
    ...passwords,
    postgres.superuser.password,
    management.password,
    openBao.rootToken,
    ...openBaoTokens.issued,
    kvSetUp.readerToken,
    ...(hookAccess.token === undefined ? [] : [hookAccess.token]),
  ];
  for (const [place, text] of Object.entries(await shownIn(stage))) {
    assert.notEqual(text, '', `there is nothing in ${place}`);
    const leaked = canaries.filter((canary) => text.includes(canary)).length;
    assert.equal(leaked, 0, `${leaked} secrets in ${place}`);
  }
}

const versions = z.object({ versions: z.record(z.string(), z.unknown()) });

/** Every password that was ever in a Secret, or is in any version of a record. */
async function passwordsIn(stage: Stage): Promise<Set<string>> {
  const projected = stage.recorder
    .versions(secrets)
    .filter(({ metadata }) => metadata.name.endsWith('-postgresql'))
    .flatMap(({ data }) => (data?.['password'] === undefined ? [] : [atob(data['password'])]));
  const stored: string[] = [];
  for (const [path, metadata] of Object.entries(await recordsIn(stage))) {
    for (const version of Object.keys(versions.parse(metadata).versions)) {
      const record = await stage.world.kv.read(path, Number(version));
      if (typeof record?.data['password'] === 'string') stored.push(record.data['password']);
    }
  }
  return new Set([...projected, ...stored]);
}

const shownIn = async ({ world, kube, recorder, calls }: Stage): Promise<Record<string, string>> => ({
  "the hook's log": world.hook.log(),
  "the hook's answers": JSON.stringify(calls.map(({ response }) => response)),
  Tenants: JSON.stringify(recorder.versions(tenants)),
  Instances: JSON.stringify(recorder.versions(instances)),
  ExternalSecrets: JSON.stringify(recorder.versions(externalSecrets)),
  Events: JSON.stringify((await kube.list(events)).items),
  metrics: await (await fetch(`${world.hook.metricsUrl}/metrics`)).text(),
  "PostgreSQL's log": world.postgres.log(),
});
