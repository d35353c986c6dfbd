import { writeFile } from 'node:fs/promises';

import type { ApiAccess } from '../world/kubernetes/client.ts';

/** Writes a kubeconfig with one user. */
export async function writeKubeconfig(file: string, { url, ca, token }: ApiAccess): Promise<string> {
  const cluster = {
    server: url,
    ...(ca === undefined ? {} : { 'certificate-authority-data': Buffer.from(ca).toString('base64') }),
  };
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'e2e', cluster }],
    users: [{ name: 'e2e', user: { token } }],
    contexts: [{ name: 'e2e', context: { cluster: 'e2e', user: 'e2e' } }],
    'current-context': 'e2e',
  };
  await writeFile(file, JSON.stringify(config), { mode: 0o600 });
  return file;
}
