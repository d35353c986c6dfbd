import assert from 'node:assert/strict';

import type { KubeObject } from '../world/kubernetes/client.ts';
import { externalSecrets, secrets } from '../world/kubernetes/resources.ts';
import { sql } from './sql.ts';
import type { Stage } from './stage.ts';
import { recordsIn } from './stillness.ts';

/** All that the operator makes or changes outside of the status of our own two kinds. */
export interface Belongings {
  /** One line each: the whole row of the catalog or of the registry, passwords left out. */
  readonly postgres: readonly string[];
  /** Metadata of every record, by path. */
  readonly records: Readonly<Record<string, unknown>>;
  readonly externalSecrets: readonly unknown[];
  /** Names of what External Secrets has written for tenants. */
  readonly secrets: readonly string[];
}

const catalogs = {
  databases: `select to_jsonb(d) - 'datfrozenxid' - 'datminmxid' as row from pg_catalog.pg_database d`,
  roles: `select to_jsonb(r) - 'rolpassword' as row from pg_catalog.pg_roles r`,
  tenants: 'select to_jsonb(t) as row from pgtenancy.tenant t',
  instances: 'select to_jsonb(i) as row from pgtenancy.instance i',
} as const;

/** Everything on the world's own server, in OpenBao and in Kubernetes, in a fixed order. */
export async function belongingsIn(stage: Stage): Promise<Belongings> {
  const rows = await Promise.all(
    Object.entries(catalogs).map(async ([what, text]) =>
      (await sql<{ row: unknown }>(stage, text)).map(({ row }) => `${what} ${JSON.stringify(row)}`),
    ),
  );
  const children = (await stage.kube.list(externalSecrets)).items;
  return {
    postgres: rows.flat().sort(),
    records: await recordsIn(stage),
    externalSecrets: children.map(({ metadata, spec }) => ({ uid: metadata.uid, spec })),
    secrets: (await stage.kube.list(secrets)).items.filter(isProjected).map(nameOf).sort(),
  };
}

/** Runs work after which everything must be there as it was, and nothing more. */
export async function changingNothing<T>(stage: Stage, work: () => Promise<T>): Promise<T> {
  const before = await belongingsIn(stage);
  const result = await work();
  assert.deepEqual(await belongingsIn(stage), before);
  return result;
}

const isProjected = ({ metadata }: KubeObject): boolean => metadata.name.endsWith('-postgresql');

const nameOf = ({ metadata }: KubeObject): string => `${metadata.namespace ?? ''}/${metadata.name}`;
