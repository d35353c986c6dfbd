import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { passingConditionTypes } from '../../src/api/conditions.ts';
import { instanceConditionTypes, instancePhases, instanceStatusShape } from '../../src/api/instance.ts';
import { tenantConditionTypes, tenantPhases, tenantStatusShape } from '../../src/api/tenant.ts';
import { apiRules } from '../../src/generate/api-rules.ts';
import { instanceKind, tenantKind } from '../../src/generate/kinds.ts';
import { instanceOf, tenantOf } from '../api/installed-crds.ts';
import type { ControlPlane } from '../control-plane/control-plane.ts';
import { recordVariable, type RecordedStatus } from '../status-record.ts';
import type { KubeObject } from '../world/kubernetes/client.ts';
import { instances, tenants } from '../world/kubernetes/resources.ts';
import { startRealKinds } from './real-kinds.ts';

/*
 * Metacontroller writes a status without asking for strictness: what the schema does not know is cut off in silence, and
 * what it refuses is never stored. The statuses of the scenarios are compared as they are stored (stored-statuses.ts);
 * those of the tests that need no API server are made here once more, and written to a real one.
 */

let plane: ControlPlane;
let statuses: readonly RecordedStatus[];
before(async () => {
  plane = await startRealKinds();
  statuses = await recordStatuses(join(plane.folder, 'statuses'));
});
after(() => plane.close());

const shapes = { PostgreSQLTenant: tenantStatusShape, PostgreSQLInstance: instanceStatusShape };

test('Every status that a test without an API server produced is stored as it is, and read as it was', async () => {
  const objects: Record<RecordedStatus['kind'], KubeObject> = {
    PostgreSQLTenant: await plane.kube.create(tenants, tenantOf({})),
    PostgreSQLInstance: await plane.kube.create(instances, instanceOf({})),
  };
  for (const { kind, status } of statuses) {
    const resource = kind === 'PostgreSQLTenant' ? tenants : instances;
    const written = await plane.kube.updateStatus(resource, {
      ...objects[kind],
      status,
    });
    assert.deepEqual(written.status, status);
    assert.deepEqual(shapes[kind].parse(written.status), status);
    objects[kind] = written;
  }
});

test('Among them are all phases, and all conditions as they hold and as they do not', () => {
  const told = new Set(
    statuses.flatMap(({ kind, status }) => [
      `${kind} ${status.phase ?? ''}`,
      ...(status.conditions ?? []).map(({ type, status: value }) => `${kind} ${type}=${value}`),
    ]),
  );
  const wanted = [
    ...tenantPhases.map((phase) => `PostgreSQLTenant ${phase}`),
    ...instancePhases.map((phase) => `PostgreSQLInstance ${phase}`),
    ...valuesOf('PostgreSQLTenant', tenantConditionTypes),
    ...valuesOf('PostgreSQLInstance', instanceConditionTypes),
  ];
  assert.deepEqual(
    wanted.filter((one) => !told.has(one)),
    [],
  );
});

test('No rule compares one part of a status with another, so that the parts may be tried one by one', () => {
  const below = [instanceKind, tenantKind].flatMap(apiRules).filter(({ path }) => path.startsWith('status'));
  assert.deepEqual(below, []);
});

const passing: readonly string[] = passingConditionTypes;

/** Reconciling and Stalled are there, and True, or absent; some are never Unknown. */
const valuesOf = (kind: string, types: readonly string[]): string[] =>
  types.flatMap((type) =>
    (passing.includes(type) ? ['True'] : ['True', 'False']).map((value) => `${kind} ${type}=${value}`),
  );

/** Runs those tests once more, now with a record of what they produce. */
async function recordStatuses(folder: string): Promise<RecordedStatus[]> {
  await mkdir(folder);
  const run = spawn(
    process.execPath,
    ['--test', '--test-concurrency=2', 'test/domain/*.test.ts', 'test/reconcile/*.test.ts'],
    {
      cwd: fileURLToPath(new URL('../..', import.meta.url)),
      // A test runner that finds itself below another one would report to that.
      env: { ...process.env, NODE_TEST_CONTEXT: undefined, [recordVariable]: folder },
      stdio: ['ignore', 'ignore', 'inherit'],
      timeout: 400_000,
    },
  );
  assert.deepEqual(await once(run, 'close'), [0, null]);
  const files = await Promise.all(
    (await readdir(folder)).map((name) => readFile(join(folder, name), 'utf8')),
  );
  return files.flatMap((text) =>
    text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as RecordedStatus),
  );
}
