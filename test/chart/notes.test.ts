import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';

import { parse } from 'yaml';
import { z } from 'zod';

import { chartFolder, helm, release, withValues } from './chart.ts';

/* What is said after the installation, and what the chart says of itself. */

/** Helm without a cluster takes everything for there; what it says of a real one is tested on a real one. */
async function notesOf(...args: readonly string[]): Promise<string> {
  const { name, namespace } = release;
  const said = await helm('install', name, chartFolder, '-n', namespace, '--dry-run=client', ...args);
  return said.slice(said.indexOf('\nNOTES:\n'));
}

test('the notes say the next steps with the names of this release', async () => {
  const notes = await notesOf(...withValues('full'));
  for (const part of [
    'installation "production"',
    'bao write auth/clusters/production/role/pgtenancy-operator',
    'bound_service_account_names=databases',
    `bound_service_account_namespaces=${release.namespace} audience=https://openbao.example.com`,
    'mount pg-tenants, read through the SecretStore postgresql.tenants',
    `kubectl --namespace ${release.namespace} rollout status deployment/${release.fullname}`,
    `helm test ${release.name} --namespace ${release.namespace}\n`,
    `kubectl --namespace ${release.namespace} logs ${release.fullname}-test`,
    'kind: PostgreSQLInstance',
    'kind: PostgreSQLTenant',
  ])
    assert.ok(notes.includes(part), `${part} is not in:${notes}`);
  assert.doesNotMatch(notes, /WARNING|MISSING|NOTHING/);
});

test('the notes warn of what is open, and of what an uninstallation would destroy', async () => {
  assert.match(await notesOf(...withValues('no-crds')), /WARNING: .* may call the hook/);
  assert.match(
    await notesOf(...withValues('no-crds')),
    /kubectl apply --server-side -f <this chart, unpacked>\/files\/crds\//,
  );
  const going = await notesOf(...withValues('minimal', '--set', 'crds.keep=false'));
  assert.match(going, /WARNING: crds\.keep is false/);
});

test('the notes warn of a release without CompositeControllers', async () => {
  for (const set of ['metacontroller.enabled=false', 'metacontroller.compositeControllers=never'])
    assert.match(
      await notesOf(...withValues('minimal', '--set', set)),
      /WARNING: this release has no CompositeControllers/,
    );
});

test('the notes name the namespace that the NetworkPolicy lets in', async () => {
  const notes = await notesOf(...withValues('minimal', '--set', 'metacontroller.namespace=platform'));
  assert.match(notes, /lets the namespace platform call the hook/);
});

test('the chart is of the version of the operator, for Kubernetes 1.30 and newer', async () => {
  const metadata = z
    .object({ name: z.string(), version: z.string(), appVersion: z.string(), kubeVersion: z.string() })
    .parse(parse(await readFile(`${chartFolder}/Chart.yaml`, 'utf8')));
  const packaged = z
    .object({ name: z.string(), version: z.string() })
    .parse(JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8')));
  assert.equal(metadata.name, packaged.name);
  assert.equal(metadata.appVersion, packaged.version);
  assert.equal(metadata.kubeVersion, '>=1.30.0-0');
});
