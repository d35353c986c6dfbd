import assert from 'node:assert/strict';

import { changingNothing } from './belongings.ts';
import { conditionOf, phaseOf } from './conditions.ts';
import { instance, untilInstance } from './instances.ts';
import type { Stage } from './stage.ts';
import { resyncs } from './stillness.ts';
import { apply, tenant, type TenantName, untilCondition } from './tenants.ts';

/** A Tenant that cannot be made, and the reason that it is to give. */
export interface BadTenant {
  readonly name: TenantName;
  readonly spec: Record<string, unknown>;
  readonly reason: string;
  /** Unknown where something that must be looked at cannot be seen; False when nothing is said. */
  readonly status?: 'False' | 'Unknown';
}

/** An Instance that cannot be used, at this port. */
export interface BadInstance {
  readonly name: string;
  readonly port: number;
  readonly spec: Record<string, unknown>;
  readonly reason: string;
}

/** What each says, by name. */
export type Messages = Readonly<Record<string, string>>;

/**
 * Applies Tenants that cannot be made: each says so in the three places where one looks, goes on saying so, and nothing
 * is made or changed anywhere.
 */
export const heldUp = (stage: Stage, bad: readonly BadTenant[]): Promise<Messages> =>
  changingNothing(stage, async () => {
    await apply(stage, ...bad.map(({ name, spec }) => tenant(name, spec)));
    await Promise.all(bad.map((one) => saysSo(stage, one)));
    await resyncs(
      stage,
      bad.map(({ name }) => name),
      2,
    );
    const said = await Promise.all(bad.map((one) => saysSo(stage, one)));
    return Object.fromEntries(said);
  });

async function saysSo(
  stage: Stage,
  { name, reason, status = 'False' }: BadTenant,
): Promise<[string, string]> {
  const held = await untilCondition(stage, name, 'Ready', { status, reason });
  assert.equal(conditionOf(held, 'CredentialCreated')?.reason, reason);
  assert.equal(phaseOf(held), 'Planned');
  return [name, conditionOf(held, 'Ready')?.message ?? ''];
}

/** The same for one Tenant. */
export async function heldUpOne(stage: Stage, bad: BadTenant): Promise<string> {
  return (await heldUp(stage, [bad]))[bad.name] ?? '';
}

/** The same for Instances, each with a Tenant `for-<name>` that asks for it. */
export const unusable = (stage: Stage, bad: readonly BadInstance[]): Promise<Messages> =>
  changingNothing(stage, async () => {
    await apply(stage, ...bad.map(({ name, port, spec }) => instance(name, port, spec)));
    const found = await Promise.all(
      bad.map(({ name, reason }) => untilInstance(stage.kube, name, { status: 'False', reason })),
    );
    const waiting = await heldUp(
      stage,
      bad.map(({ name }) => ({
        name: `for-${name}`,
        spec: { instanceRef: { name } },
        reason: 'InstanceNotReady',
      })),
    );
    for (const { name, reason } of bad) {
      assert.ok(waiting[`for-${name}`]?.includes(`PostgreSQLInstance "${name}" is not Ready (${reason})`));
    }
    assert.deepEqual(new Set(found.map(phaseOf)), new Set(['Planned']));
    return Object.fromEntries(
      found.map((object) => [object.metadata.name, conditionOf(object, 'Ready')?.message ?? '']),
    );
  });
