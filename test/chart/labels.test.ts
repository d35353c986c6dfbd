import assert from 'node:assert/strict';
import { test } from 'node:test';

import { only, release, render, type Rendered, withValues } from './chart.ts';
import { deploymentShape } from './pod.ts';

/* Labels and annotations from more than one place: each key once (the parser refuses a second one), and who wins. */

const minimal = async (...sets: readonly string[]): Promise<readonly Rendered[]> =>
  render(withValues('minimal', ...sets.flatMap((set) => ['--set-string', set])));

const podMetadata = (objects: readonly Rendered[]) =>
  deploymentShape.parse(only(objects, 'Deployment')).spec.template.metadata;

test('a label of the Pods wins over the one of all objects', async () => {
  const objects = await minimal('commonLabels.team=all', 'podLabels.team=pods');
  assert.equal(podMetadata(objects).labels['team'], 'pods');
  assert.equal(only(objects, 'Deployment').metadata.labels['team'], 'all');
});

test('a label of one kind of object wins over the one of all, and over those of the chart', async () => {
  const version = String.raw`app\.kubernetes\.io/version=9`;
  const objects = await render(
    withValues(
      'minimal',
      ...['serviceMonitor', 'prometheusRule', 'dashboard'].flatMap((part) => [
        ...['--set', `metrics.${part}.enabled=true`],
        ...['--set-string', `metrics.${part}.labels.team=own,metrics.${part}.labels.${version}`],
      ]),
      ...['--set-string', `commonLabels.team=all,metacontroller.labels.team=own`],
      ...['--set-string', `metacontroller.labels.${version}`],
    ),
  );
  const kinds = ['ServiceMonitor', 'PrometheusRule', 'ConfigMap', 'CompositeController'];
  const labelled = objects.filter(
    ({ kind, metadata }) => kinds.includes(kind) && !metadata.name.endsWith('-test'),
  );
  assert.equal(labelled.length, 5);
  for (const { metadata } of labelled) {
    assert.equal(metadata.labels['team'], 'own');
    assert.equal(metadata.labels['app.kubernetes.io/version'], '9');
  }
});

test('the Pod of helm test has the labels of all objects, and is known by a name of its own', async () => {
  const { labels } = only(await minimal('commonLabels.team=all'), 'Pod', `${release.fullname}-test`).metadata;
  assert.equal(labels['team'], 'all');
  assert.equal(labels['app.kubernetes.io/name'], 'postgresql-tenant-operator-test');
});

test('the checksum of a CA that is read at the start stays what it is', async () => {
  const bundle = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----';
  const objects = await minimal(
    `postgres.ca.bundle=${bundle}`,
    'podAnnotations.checksum/postgres-ca=mine',
    'podAnnotations.other=kept',
  );
  const { 'checksum/postgres-ca': checksum = '', other } = podMetadata(objects).annotations ?? {};
  assert.match(checksum, /^[0-9a-f]{64}$/);
  assert.equal(other, 'kept');
});
