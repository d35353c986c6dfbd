import assert from 'node:assert/strict';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

import { waitFor } from '../../world/servers/wait-for.ts';
import { runPod, type RunningPod } from './run-pod.ts';
import { templateOf, withTrial } from './trial.ts';

const isRoot = process.getuid?.() === 0;

interface Said {
  readonly env: Readonly<Record<string, string>>;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly uid: number;
  readonly gid: number;
}

const saidBy = ({ hook }: RunningPod): Said => JSON.parse(hook.log().split('\n')[0] ?? '') as Said;

/** What the process reads at a path. */
const readBy = async ({ hook }: RunningPod, path: string): Promise<string> =>
  (await fetch(`${hook.metricsUrl}${path}`, { signal: AbortSignal.timeout(5_000) })).text();

async function withPod(
  run: Promise<RunningPod>,
  use: (pod: RunningPod) => Promise<void> | void,
): Promise<void> {
  const pod = await run;
  try {
    await use(pod);
  } finally {
    await pod.close();
  }
}

test('the container has the environment of the image and its own, and nothing of ours', async () => {
  await withTrial(async ({ kube, image, setSecret, setConfigMap }) => {
    await setSecret('login', { user: 'someone' });
    await setConfigMap('settings', { level: 'info' });
    const env = [
      { name: 'PORT', value: '8443' },
      { name: 'METRICS_PORT', value: '9090' },
      { name: 'PLAIN', value: 'a' },
      { name: 'EXPANDED', value: '$(PLAIN)b $(UNKNOWN) $$(PLAIN)' },
      { name: 'NAMESPACE', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } } },
      { name: 'APP', valueFrom: { fieldRef: { fieldPath: "metadata.labels['app']" } } },
      { name: 'IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
      { name: 'SECRET_KEY', valueFrom: { secretKeyRef: { name: 'login', key: 'user' } } },
      { name: 'CONFIG_KEY', valueFrom: { configMapKeyRef: { name: 'settings', key: 'level' } } },
      { name: 'ABSENT', valueFrom: { secretKeyRef: { name: 'none', key: 'user', optional: true } } },
      { name: 'ADDRESS', value: 'https://in-the-cluster' },
      { name: 'SAME', value: 'same' },
    ];
    const overrides = { ADDRESS: 'http://127.0.0.1:1', SAME: 'same' };
    const options = { template: templateOf({ env }), namespace: 'pod', image, kube, overrides };
    await withPod(runPod(options), (pod) => {
      const { env: seen, uid, gid, cwd, args } = saidBy(pod);
      const { PORT, METRICS_PORT, ...rest } = seen;
      assert.deepEqual(rest, {
        ...{ FROM_IMAGE: 'yes', PLAIN: 'a', EXPANDED: 'ab $(UNKNOWN) $(PLAIN)', NAMESPACE: 'pod' },
        ...{ APP: 'trial', IP: '127.0.0.1', SECRET_KEY: 'someone', CONFIG_KEY: 'info', SAME: 'same' },
        ...{ ADDRESS: 'http://127.0.0.1:1', HOST: '127.0.0.1' },
      });
      assert.equal(pod.hook.url, `https://127.0.0.1:${PORT}`);
      assert.equal(pod.hook.metricsUrl, `http://127.0.0.1:${METRICS_PORT}`);
      assert.deepEqual(pod.overridden, ['ADDRESS', 'HOST', 'METRICS_PORT', 'PORT']);
      assert.deepEqual({ cwd, args }, { cwd: join(image.root, 'app'), args: [] });
      if (isRoot) assert.deepEqual({ uid, gid }, { uid: 65532, gid: 65532 });
    });
  });
});

const projected = {
  name: 'api',
  projected: {
    defaultMode: 0o440,
    sources: [
      { serviceAccountToken: { path: 'token', expirationSeconds: 3600 } },
      { serviceAccountToken: { path: 'bao/token', audience: 'openbao', expirationSeconds: 600 } },
      { configMap: { name: 'root-ca', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
      { downwardAPI: { items: [{ path: 'name', fieldRef: { fieldPath: 'metadata.name' } }] } },
    ],
  },
};
const volumes = [
  projected,
  { name: 'tls', secret: { secretName: 'tls', defaultMode: 0o440 } },
  { name: 'certificates', configMap: { name: 'root-ca', defaultMode: 0o644 } },
  { name: 'scratch', emptyDir: {} },
];
const volumeMounts = [
  { name: 'api', mountPath: '/var/run/secrets/api', readOnly: true },
  { name: 'tls', mountPath: '/var/run/secrets/tls', readOnly: true },
  { name: 'certificates', mountPath: '/etc/certificates/', readOnly: true },
  { name: 'scratch', mountPath: '/scratch' },
];
const fileEnv = [
  { name: 'TOKEN_FILE', value: '/var/run/secrets/api/token' },
  { name: 'CERT_FILE', value: '/var/run/secrets/tls/tls.crt' },
  { name: 'CA_FILE', value: '/etc/certificates/ca.crt' },
  { name: 'SCRATCH', value: '/scratch' },
  { name: 'OTHER', value: '/var/run/secrets/tls-other/x' },
  { name: 'INSIDE', value: 'file:/scratch/x' },
];
const mounting = templateOf(
  { env: fileEnv, volumeMounts, args: ['program.mjs', '/scratch/a', 'b'] },
  { volumes },
);

/** The claims of a token, which nobody checks here. */
const claimsOf = (token: string): { aud: string[]; sub: string } =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as {
    aud: string[];
    sub: string;
  };

test('volumes are where the container looks for them, readable for its user, and paths name their place', async () => {
  await withTrial(async ({ kube, image, setSecret, setConfigMap }) => {
    await setSecret('tls', { 'tls.crt': 'certificate', 'tls.key': 'key' });
    await setConfigMap('root-ca', { 'ca.crt': 'authority' });
    await withPod(runPod({ template: mounting, namespace: 'pod', name: 'one', image, kube }), async (pod) => {
      const { env, args } = saidBy(pod);
      const { folder } = pod.volumes;
      const place = (volume: string, file: string) => join(folder, volume, file);
      assert.equal(env['TOKEN_FILE'], place('api', 'token'));
      assert.equal(env['CERT_FILE'], place('tls', 'tls.crt'));
      assert.equal(env['CA_FILE'], place('certificates', 'ca.crt'));
      assert.equal(env['SCRATCH'], join(folder, 'scratch'));
      assert.equal(env['OTHER'], '/var/run/secrets/tls-other/x');
      assert.equal(env['INSIDE'], 'file:/scratch/x');
      assert.deepEqual(args, [place('scratch', 'a'), 'b']);
      assert.equal(await readBy(pod, place('tls', 'tls.key')), 'key');
      assert.equal(await readBy(pod, place('certificates', 'ca.crt')), 'authority');
      assert.equal(await readBy(pod, place('api', 'ca.crt')), 'authority');
      assert.equal(await readBy(pod, place('api', 'name')), 'one');
      const token = claimsOf(await readBy(pod, place('api', 'token')));
      assert.equal(token.sub, 'system:serviceaccount:pod:runner');
      assert.deepEqual(claimsOf(await readBy(pod, place('api', 'bao/token'))).aud, ['openbao']);
      const { mode, uid } = await stat(folder);
      assert.equal(mode & 0o777, 0o700, 'nobody else may enter');
      if (!isRoot) return;
      assert.equal(uid, 65532);
      const key = await stat(place('tls', 'tls.key'));
      assert.deepEqual(
        [key.uid, key.gid, key.mode & 0o777],
        [0, 65532, 0o440],
        "as fsGroup makes a Secret's file",
      );
      const own = await stat(place('api', 'token'));
      assert.deepEqual([own.uid, own.gid, own.mode & 0o777], [65532, 65532, 0o640]);
    });
  });
});

test('files follow their Secret and ConfigMap, all of a volume at once', async () => {
  await withTrial(async ({ kube, image, setSecret, setConfigMap }) => {
    await setSecret('tls', { 'tls.crt': 'old', 'tls.key': 'old' });
    await setConfigMap('root-ca', { 'ca.crt': 'old' });
    await withPod(runPod({ template: mounting, namespace: 'pod', image, kube }), async (pod) => {
      const file = join(pod.volumes.folder, 'tls/tls.crt');
      const token = await readFile(join(pod.volumes.folder, 'api/token'), 'utf8');
      await setSecret('tls', { 'tls.crt': 'new', 'tls.key': 'new', extra: 'more' });
      await waitFor('the new certificate', async () => (await readBy(pod, file)) === 'new');
      assert.equal(await readBy(pod, join(pod.volumes.folder, 'tls/tls.key')), 'new');
      assert.equal(await readBy(pod, join(pod.volumes.folder, 'tls/extra')), 'more');
      await setConfigMap('root-ca', { 'ca.crt': 'new' });
      await pod.volumes.refresh();
      assert.equal(await readBy(pod, join(pod.volumes.folder, 'api/ca.crt')), 'new');
      const after = await readFile(join(pod.volumes.folder, 'api/token'), 'utf8');
      assert.equal(after, token, 'the token has most of its life before it');
    });
  });
});

test('a container waits for what its volumes need, and says what is missing', async () => {
  await withTrial(async ({ kube, image, setSecret, setConfigMap }) => {
    await setConfigMap('root-ca', { 'ca.crt': 'a' });
    const options = { template: mounting, namespace: 'pod', name: 'one', image, kube };
    await assert.rejects(
      runPod({ ...options, timeoutMs: 300 }),
      /^Error: waited 300 ms in vain for the volumes of Pod one: Secret pod\/tls not found$/,
    );
    const late = runPod(options);
    await setSecret('tls', { 'tls.crt': 'late' });
    await withPod(late, async (pod) => {
      assert.equal(await readBy(pod, join(pod.volumes.folder, 'tls/tls.crt')), 'late');
    });
  });
});

test('a Pod is stopped with SIGTERM and killed when its grace period is over; a killed one comes back', async () => {
  await withTrial(async ({ kube, image }) => {
    const options = { namespace: 'pod', image, kube };
    await withPod(runPod({ ...options, template: templateOf({}) }), async (pod) => {
      const { pid } = pod.hook;
      assert.equal(await pod.hook.revive(), false, 'it runs');
      process.kill(pid ?? 0, 'SIGKILL');
      await waitFor('a new process', () => pod.hook.revive());
      assert.notEqual(pod.hook.pid, pid);
      await pod.hook.stop();
      assert.match(pod.hook.log(), /bye/);
      assert.equal(await pod.hook.revive(), false, 'it was stopped on purpose');
      await pod.hook.start();
      assert.ok((await fetch(`${pod.hook.metricsUrl}/ready`)).ok);
    });
    const stubborn = templateOf(
      { env: [{ name: 'STUBBORN', value: 'yes' }] },
      { terminationGracePeriodSeconds: 1 },
    );
    await withPod(runPod({ ...options, template: stubborn }), async (pod) => {
      const startedAt = Date.now();
      await pod.hook.stop();
      const took = Date.now() - startedAt;
      assert.ok(took >= 1_000 && took < 10_000, `it took ${took} ms`);
    });
  });
});

for (const [what, template, complaint] of [
  ['an init container', templateOf({}, { initContainers: [{ name: 'a' }] }), /initContainers/],
  [
    'a volume from the node',
    templateOf({}, { volumes: [{ name: 'v', hostPath: { path: '/' } }] }),
    /hostPath/,
  ],
  [
    'a part of a volume',
    templateOf({ volumeMounts: [{ name: 'v', mountPath: '/v', subPath: 'a' }] }),
    /subPath/,
  ],
  ['variables in bulk', templateOf({ envFrom: [{ secretRef: { name: 'a' } }] }), /envFrom/],
  ['a mount without a volume', templateOf({ volumeMounts: [{ name: 'v', mountPath: '/v' }] }), /no volume v/],
  [
    'a port that PORT contradicts',
    templateOf({ env: [{ name: 'PORT', value: '1' }] }),
    /hook is 8443, but PORT is 1/,
  ],
] as const) {
  test(`a Pod with ${what} is refused instead of being run without it`, async () => {
    await withTrial(async ({ kube, image }) => {
      await assert.rejects(runPod({ template, namespace: 'pod', image, kube, timeoutMs: 300 }), complaint);
    });
  });
}
