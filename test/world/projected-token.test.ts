import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { startKubernetesApi } from './kubernetes/api.ts';
import { KubeClient } from './kubernetes/client.ts';
import { serviceAccounts } from './kubernetes/resources.ts';
import { ProjectedToken } from './projected-token.ts';
import { waitFor } from './servers/wait-for.ts';

test('a projected token is replaced before it expires, and stays while the API is away', async (context) => {
  const folder = await mkdtemp(join(tmpdir(), 'projected-token-'));
  const api = await startKubernetesApi({ shortestTokenSeconds: 1 });
  context.after(async () => {
    await api.close();
    await rm(folder, { recursive: true, force: true });
  });
  const kube = new KubeClient({ url: api.url });
  const metadata = { name: 'app', namespace: 'default' };
  await kube.create(serviceAccounts, { apiVersion: 'v1', kind: 'ServiceAccount', metadata });
  const file = join(folder, 'token');
  const projection = { kube, namespace: 'default', serviceAccount: 'app', audience: 'openbao', file };
  const token = await ProjectedToken.start({ ...projection, expirationSeconds: 1 });
  context.after(() => token.stop());
  const first = await readFile(file, 'utf8');
  api.faults.down = true;
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  assert.equal(await readFile(file, 'utf8'), first);
  api.faults.down = false;
  await waitFor('another token', async () => (await readFile(file, 'utf8')) !== first);
  assert.equal(await readFile(file, 'utf8'), token.issued.at(-1));
});
