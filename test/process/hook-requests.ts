import type { OperatorProcess } from './operator-process.ts';

/** Where the hook listens, and where the probes do. */
export const urlsOf = async (operator: OperatorProcess): Promise<{ url: string; probes: string }> => {
  const origin = String.raw`(https?:\/\/127\.0\.0\.1:\d+)`;
  const line = new RegExp(`"url":"${origin}","metricsUrl":"${origin}".*"msg":"listening"`);
  const [, url = '', probes = ''] = await operator.saw(line);
  return { url, probes };
};

/** What makes the operator ask the Kubernetes API. */
export const instanceRequest = {
  ...{ controller: {}, children: {}, related: {}, finalizing: false },
  parent: {
    ...{ apiVersion: 'pgtenancy.io/v1alpha1', kind: 'PostgreSQLInstance' },
    metadata: { name: 'main', uid: 'uid', generation: 1 },
    spec: { host: 'db.example.com', managementSecretRef: { name: 'login' } },
  },
};
