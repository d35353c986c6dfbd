import assert from 'node:assert/strict';
import { before, test } from 'node:test';

import { closingSeconds } from '../../src/config/time-variables.ts';
import { issueFiles } from '../config/issued-files.ts';
import { ciValues, only, release, render, withValues } from './chart.ts';
import { podConfig } from './pod-config.ts';
import { deploymentShape, podOf } from './pod.ts';

/* The operator's Pod: read by the code that reads its configuration, and held to Pod Security `restricted`. */

before(() => issueFiles());

const configOf = (pod: ReturnType<typeof podOf>) => podConfig(pod, release.namespace);

const deploymentOf = async (...args: readonly string[]) => only(await render(args), 'Deployment');

for (const [name, path] of await ciValues()) {
  test(`ci/${name}: the operator starts with this Pod, and every file is mounted from a volume`, async () => {
    const pod = podOf(await deploymentOf('--values', path));
    const [{ ports = [], volumeMounts }] = pod.containers;
    const config = configOf(pod);
    assert.deepEqual(
      ports.map(({ name: port, containerPort }) => [port, containerPort]),
      [
        ['hook', config.hook.port],
        ['metrics', config.metrics.port],
      ],
    );
    assert.deepEqual(
      volumeMounts.map((mount) => mount.name).sort(),
      pod.volumes.map((volume) => volume.name).sort(),
    );
    const longestMs = config.drainMs + config.deadlineMs + closingSeconds * 1_000;
    assert.ok((pod.terminationGracePeriodSeconds ?? 0) * 1_000 > longestMs);
  });

  test(`ci/${name}: the Deployment selects its own Pods, and the Service the same ones`, async () => {
    const objects = await render(['--values', path]);
    const { selector, template } = deploymentShape.parse(only(objects, 'Deployment')).spec;
    const serviceSelector = (only(objects, 'Service')['spec'] as { selector: unknown }).selector;
    assert.deepEqual(serviceSelector, selector.matchLabels);
    for (const [label, value] of Object.entries(selector.matchLabels))
      assert.equal(template.metadata.labels[label], value);
  });
}

test('every variable that a value can set arrives in the configuration', async () => {
  const config = configOf(podOf(await deploymentOf(...withValues('full'))));
  assert.equal(config.installation, 'production');
  assert.equal(config.operatorNamespace, release.namespace);
  assert.equal(config.logLevel, 'debug');
  assert.equal(config.hook.host, '::');
  assert.equal(config.kubernetes.url, 'https://api.example.com:6443');
  assert.deepEqual(config.secretStore, { kind: 'SecretStore', name: 'postgresql.tenants' });
  assert.equal(config.resyncSeconds, 600);
  assert.deepEqual(config.checkIntervalSeconds, { min: 1800, max: 7200 });
  assert.equal(config.deadlineMs, 48_000);
  assert.equal(config.drainMs, 10_000);
  assert.notEqual(config.postgresCa, undefined);
  assert.deepEqual(config.openbao, {
    address: 'https://openbao-active.openbao:8200',
    externalAddress: 'https://openbao.example.com',
    mount: 'pg-tenants',
    namespace: 'platform/databases',
    caFile: '/etc/postgresql-tenant-operator/openbao-ca.crt',
    auth: {
      kind: 'kubernetes',
      role: 'pgtenancy-operator',
      mount: 'clusters/production',
      tokenFile: '/var/run/secrets/openbao/token',
    },
  });
});

test('without a bearer token the Pod says so in words, and with one it has it in a file', async () => {
  const without = configOf(podOf(await deploymentOf(...withValues('minimal'))));
  assert.equal(without.hook.tokens, undefined);
  const withToken = configOf(podOf(await deploymentOf(...withValues('token'))));
  assert.deepEqual(withToken.hook.tokens, { file: '/var/run/secrets/hook/tokens' });
});

test('a mesh that does TLS, and a token for OpenBao from a Secret', async () => {
  const config = configOf(podOf(await deploymentOf(...withValues('mesh'))));
  assert.equal(config.hook.tls, undefined);
  assert.deepEqual(config.openbao.auth, { kind: 'token', file: '/var/run/secrets/openbao/token' });
  assert.equal(config.openbao.caFile, undefined);
});

test('a token for OpenBao that an agent in the Pod keeps in a file', async () => {
  const pod = podOf(await deploymentOf(...withValues('agent')));
  assert.deepEqual(configOf(pod).openbao.auth, { kind: 'token', file: '/agent/token' });
  assert.equal(pod.containers.length, 2);
});

test('only a changed CA of the PostgreSQL servers restarts the Pods: all other files are read again', async () => {
  const podTemplate = async (...more: readonly string[]) => {
    const deployment = await deploymentOf(...withValues('full', ...more));
    return deploymentShape.parse(deployment).spec.template;
  };
  const other = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----';
  const before = await podTemplate();
  assert.deepEqual(await podTemplate('--set', `openbao.ca.bundle=${other}`), before);
  assert.notDeepEqual(await podTemplate('--set', `postgres.ca.bundle=${other}`), before);
});

test('the image is named by its digest, else by its tag, else by the version of the chart', async () => {
  const image = async (...args: readonly string[]) =>
    podOf(await deploymentOf(...args)).containers[0].image.replace(/^registry.example.com\//, '');
  assert.match(await image(...withValues('full')), /^postgresql-tenant-operator@sha256:[0-9a-f]{64}$/);
  assert.equal(await image(...withValues('mesh')), 'postgresql-tenant-operator:0.1.0-custom');
  assert.match(await image(...withValues('minimal')), /^postgresql-tenant-operator:\d+\.\d+\.\d+$/);
});
