import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';

import { startKubernetesApi, type KubernetesApi } from './api.ts';
import { ApiError, KubeClient, type KubeObject } from './client.ts';
import { crds } from './resources.ts';

/** Lends an API with these CRDs, and closes it afterwards. */
export async function withApi(
  definitions: readonly KubeObject[],
  use: (client: KubeClient, api: KubernetesApi) => Promise<void>,
): Promise<void> {
  const api = await startKubernetesApi();
  try {
    const client = new KubeClient({ url: api.url });
    for (const definition of definitions) await client.create(crds, definition);
    await use(client, api);
  } finally {
    await api.close();
  }
}

/** The refusal that a call ends in: its code, reason and message. */
export async function refusalOf(call: Promise<unknown>): Promise<ApiError> {
  const error = await call.then(
    () => assert.fail('the API accepted it'),
    (caught: unknown) => caught,
  );
  assert.ok(error instanceof ApiError, String(error));
  return error;
}

/** Waits until `holds` answers true; fails after five seconds. */
export async function eventually(what: string, holds: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + 5_000;
  while (!(await holds())) {
    if (Date.now() > end) assert.fail(`not within 5 s: ${what}`);
    await delay(10);
  }
}
