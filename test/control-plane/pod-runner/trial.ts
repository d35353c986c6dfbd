import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { copyNode } from '../../image/base-images.ts';
import type { Image } from '../../image/image.ts';
import type { KubernetesApi } from '../../world/kubernetes/api.ts';
import type { KubeClient, KubeObject, Resource } from '../../world/kubernetes/client.ts';
import { namespaces, secrets, serviceAccounts } from '../../world/kubernetes/resources.ts';
import { withApi } from '../../world/kubernetes/test-api.ts';

const configMaps: Resource = { group: '', version: 'v1', plural: 'configmaps' };

const nodePath = '/nodejs/bin/node';

/**
 * The image's program: it says what it was started with, serves its readiness and the files that it is asked for,
 * and knows no SIGTERM where STUBBORN is set.
 */
const program = `
import { createServer } from 'node:http';
import { readFileSync } from 'node:fs';
const { env, argv } = process;
console.log(JSON.stringify({ env, args: argv.slice(2), cwd: process.cwd(), uid: process.getuid(), gid: process.getgid() }));
if (env.END !== undefined) process.exit(Number(env.END));
process.on('SIGTERM', () => { if (env.STUBBORN === undefined) { console.log('bye'); process.exit(0); } });
createServer((request, response) => {
  if (request.url === '/ready') return response.end('ok');
  try { response.end(readFileSync(request.url)); } catch (error) { response.writeHead(500).end(String(error)); }
}).listen(Number(env.METRICS_PORT), env.HOST);
`;

export interface Trial {
  readonly kube: KubeClient;
  readonly api: KubernetesApi;
  readonly image: Image;
  readonly setSecret: (name: string, data: Readonly<Record<string, string>>) => Promise<unknown>;
  readonly setConfigMap: (name: string, data: Readonly<Record<string, string>>) => Promise<unknown>;
}

/** Lends an API with a namespace `pod` and a ServiceAccount `runner`, and an image of one small program. */
export async function withTrial(use: (trial: Trial) => Promise<void>): Promise<void> {
  const root = await mkdtemp(join(tmpdir(), 'pgtenancy-trial-image-'));
  await chmod(root, 0o755);
  await mkdir(join(root, 'app'));
  await writeFile(join(root, 'app/program.mjs'), program);
  await copyNode(join(root, nodePath));
  const image: Image = {
    ...{ root, env: { FROM_IMAGE: 'yes' }, workingDir: '/app', user: { uid: 65532, gid: 65532 } },
    ...{ entrypoint: [nodePath], cmd: ['program.mjs'], labels: {}, ports: [] },
  };
  const place = { namespace: 'pod' };
  try {
    await withApi([], async (kube, api) => {
      await kube.create(namespaces, object('Namespace', { name: 'pod' }));
      await kube.create(serviceAccounts, object('ServiceAccount', { name: 'runner', ...place }));
      await use({
        ...{ kube, api, image },
        setSecret: (name, stringData) =>
          kube.apply(secrets, { ...object('Secret', { name, ...place }), stringData }),
        setConfigMap: (name, data) =>
          kube.apply(configMaps, { ...object('ConfigMap', { name, ...place }), data }),
      });
    });
  } finally {
    await rm(root, { recursive: true });
  }
}

const object = (kind: string, metadata: KubeObject['metadata']): KubeObject => ({
  ...{ apiVersion: 'v1', kind, metadata },
});

/** A Pod template with one container, as an API server gives it back: with defaults that nobody asked for. */
export const templateOf = (container: object, spec: object = {}): object => ({
  metadata: { labels: { app: 'trial' }, creationTimestamp: null },
  spec: {
    containers: [
      {
        name: 'operator',
        image: 'registry.example.com/trial:1',
        imagePullPolicy: 'IfNotPresent',
        terminationMessagePath: '/dev/termination-log',
        ports: [
          { name: 'hook', containerPort: 8443, protocol: 'TCP' },
          { name: 'metrics', containerPort: 9090, protocol: 'TCP' },
        ],
        readinessProbe: { httpGet: { path: '/ready', port: 'metrics', scheme: 'HTTP' }, periodSeconds: 2 },
        ...container,
      },
    ],
    dnsPolicy: 'ClusterFirst',
    restartPolicy: 'Always',
    serviceAccountName: 'runner',
    terminationGracePeriodSeconds: 30,
    securityContext: { runAsUser: 65532, runAsGroup: 65532, fsGroup: 65532 },
    ...spec,
  },
});
