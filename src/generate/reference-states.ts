import { instanceConditionTypes, instancePhases } from '../api/instance.ts';
import { tenantConditionTypes, tenantPhases } from '../api/tenant.ts';
import { descent } from '../domain/descent.ts';
import { instanceLadder } from '../domain/instance-ladder.ts';
import { tenantLadder } from '../domain/ladder.ts';
import { reasons } from '../domain/reasons.ts';
import { instanceConditionMeanings, tenantConditionMeanings } from './condition-meanings.ts';
import { blocks, code, table } from './markdown.ts';
import { instancePhaseMeanings, tenantPhaseMeanings } from './phase-meanings.ts';

export const tenantStates = (): string => {
  inOrder(tenantPhases, tenantLadder);
  return blocks(
    '### PostgreSQLTenant: phases',
    'In climbing order: each phase says what is named here and in all rows before it. On the way down (while it is being deleted with `deletionPolicy: Delete`) the phase names the uppermost thing that still exists. The phase is recorded before the step that leads to the next one is taken.',
    table(
      ['phase', 'means', 'while deleting: what still exists'],
      tenantPhases.map((phase) => {
        const { up, down } = tenantPhaseMeanings[phase];
        return [code(phase), up, downText(phase, down)];
      }),
    ),
    '### PostgreSQLTenant: conditions',
    'All but `Reconciling` and `Stalled` are always there. Each speaks for itself only, except `Ready`, which sums up.',
    conditionTable(tenantConditionTypes, tenantConditionMeanings),
  );
};

export const instanceStates = (): string => {
  inOrder(instancePhases, instanceLadder);
  return blocks(
    '### PostgreSQLInstance: phases',
    table(
      ['phase', 'means'],
      instancePhases.map((phase) => [code(phase), instancePhaseMeanings[phase]]),
    ),
    '### PostgreSQLInstance: conditions',
    'All but `Reconciling` and `Stalled` are always there.',
    conditionTable(instanceConditionTypes, instanceConditionMeanings),
  );
};

export const reasonTable = (): string =>
  table(
    ['reason', 'meaning', 'goes on by itself'],
    Object.entries(reasons).map(([reason, { meaning, stalled }]) => [
      code(reason),
      meaning,
      stalled ? '**no**' : 'yes',
    ]),
  );

const conditionTable = <Type extends string>(
  types: readonly Type[],
  meanings: Readonly<Record<Type, string>>,
): string =>
  table(
    ['condition', 'True says'],
    types.map((type) => [code(type), meanings[type]]),
  );

/** The documented order must be that of the state machine. */
function inOrder(phases: readonly string[], ladder: readonly { readonly phase: string }[]): void {
  const climbed = ['Planned', ...ladder.map(({ phase }) => phase)];
  if (climbed.join() !== phases.join())
    throw new Error(`the phases are not those of the ladder: ${climbed.join()}`);
}

function downText(phase: string, down: string | null): string {
  const isLanding = descent.some((landing) => landing.phase === phase);
  if (isLanding !== (down !== null))
    throw new Error(`phase ${phase}: its meaning while deleting is not that of the descent`);
  return down ?? '';
}
