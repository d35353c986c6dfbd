import assert from 'node:assert/strict';
import { test } from 'node:test';

import { apiRules, type PlacedRule } from '../../src/generate/api-rules.ts';
import type { Kind } from '../../src/generate/kinds.ts';
import type { KubeClient, KubeObject, Resource } from '../world/kubernetes/client.ts';
import { refusalOf } from '../world/kubernetes/test-api.ts';
import type { LendKinds } from './installed-crds.ts';

export interface RuleCase {
  /** A sentence: what is done. */
  readonly title: string;
  /** Spec (beside what the kind always needs) before an update; absent: a create. */
  readonly from?: object;
  readonly to: object;
  /** Absent: one is made up. */
  readonly name?: string;
  readonly outcome: 'accepted' | 'refused';
}

/** All cases of one rule; `at` and `message` as they are in the CRD. */
export interface RuleCases {
  readonly at: string;
  readonly message: string;
  readonly cases: readonly RuleCase[];
}

export interface RuleTable {
  readonly kind: Kind;
  readonly resource: Resource;
  readonly objectOf: (spec: object, name?: string) => KubeObject;
  readonly table: readonly RuleCases[];
  readonly lend: LendKinds;
}

/** Declares the tests: each case against the API server, and that the table has every rule of the kind. */
export function testRules({ kind, resource, objectOf, table, lend }: RuleTable): void {
  test(`the table has every rule of ${kind.kind}, each accepted and refused, on creates and on updates`, () => {
    const rules = apiRules(kind);
    const wanted = rules.map(({ path, rule }) => `${path}: ${rule.message}`);
    assert.deepEqual(table.map(({ at, message }) => `${at}: ${message}`).sort(), wanted.sort());
    for (const { at, message, cases } of table) {
      const rule = rules.find(({ path, rule }) => path === at && rule.message === message);
      assert.ok(rule !== undefined);
      const tried = new Set(
        cases.map(({ from, outcome }) => `${from === undefined ? 'create' : 'update'} ${outcome}`),
      );
      assert.deepEqual([...tried].sort(), outcomesOf(rule), message);
    }
  });

  test(`the API server holds to the rules of ${kind.kind}`, async (t) => {
    await lend(async (client) => {
      for (const [index, { at, message, cases }] of table.entries())
        for (const [number, one] of cases.entries()) {
          const name = one.name ?? `case-${index}-${number}`;
          await t.test(`${one.title}: ${one.outcome}`, () => tryOut(client, name, one, at, message));
        }
    });
  });

  async function tryOut(client: KubeClient, name: string, one: RuleCase, at: string, message: string) {
    const before = one.from && (await client.create(resource, objectOf(one.from, name)));
    const wanted = objectOf(one.to, name);
    const call = before
      ? client.update(resource, { ...wanted, metadata: before.metadata })
      : client.create(resource, wanted);
    if (one.outcome === 'accepted') {
      await call;
      return;
    }
    const refusal = await refusalOf(call);
    assert.equal(refusal.code, 422);
    // A rule on the whole object names no field.
    assert.ok(refusal.message.includes(message), refusal.message);
    if (at !== 'metadata') assert.ok(refusal.message.includes(`${at}: Invalid value`), refusal.message);
  }
}

/** What there is to try: what compares refuses no create, and what looks at the name, which stays, no update. */
const outcomesOf = ({ path, isTransition }: PlacedRule): string[] => [
  ...['create accepted', ...(isTransition ? [] : ['create refused'])],
  ...['update accepted', ...(path === 'metadata' ? [] : ['update refused'])],
];
