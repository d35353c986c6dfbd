import { holds, type Check, type Verdict } from './verdict.ts';

/** A phase and the checks that must hold for it, in order. The first check that does not hold speaks for the rung. */
export interface Rung<Phase extends string, Facts, Step> {
  readonly phase: Phase;
  readonly checks: readonly Check<Facts, Step>[];
}

interface RungVerdict<Phase extends string, Step> {
  readonly phase: Phase;
  readonly verdict: Verdict<Step>;
}

export interface Climb<Phase extends string, Step> {
  /** What the facts say, or what is recorded while the deciding fact is unknown. */
  readonly phase: Phase;
  /** The one step that may be taken now, when the recorded phase already says where we stand. */
  readonly step: Step | null;
  /** The first rung that does not hold; null at the top. */
  readonly first: RungVerdict<Phase, Step> | null;
  readonly rungs: readonly RungVerdict<Phase, Step>[];
}

/**
 * Climbs the ladder as far as it holds. The recorded phase decides only *whether* a step may be taken (it must equal
 * the derived one, so that it is always recorded before the write it announces); it is believed only where the
 * deciding fact is unknown, because an unknown never lowers.
 */
export function climb<Phase extends string, Facts, Step>(
  ladder: readonly Rung<Phase, Facts, Step>[],
  floor: Phase,
  facts: Facts,
  recorded: Phase | undefined,
): Climb<Phase, Step> {
  const rungs = ladder.map((rung) => ({ phase: rung.phase, verdict: judge(rung.checks, facts) }));
  const index = rungs.findIndex(({ verdict }) => verdict.kind !== 'holds');
  const first = rungs[index] ?? null;
  const reached = first === null ? rungs.at(-1)?.phase : rungs[index - 1]?.phase;
  if (first?.verdict.kind === 'unknown') return { phase: recorded ?? floor, step: null, first, rungs };
  const phase = reached ?? floor;
  const wanted = first?.verdict.kind === 'step' ? first.verdict.step : stepBeside(ladder, index, facts);
  return { phase, step: recorded === phase ? wanted : null, first, rungs };
}

/** A step that a check of a reached rung asks for although the rung holds without it. `end`: -1 when all are reached. */
function stepBeside<Phase extends string, Facts, Step>(
  ladder: readonly Rung<Phase, Facts, Step>[],
  end: number,
  facts: Facts,
): Step | null {
  const reached = end === -1 ? ladder : ladder.slice(0, end);
  const verdicts = reached.flatMap(({ checks }) => checks.map((check) => check(facts)));
  const beside = verdicts.find((verdict) => verdict.kind === 'told' && verdict.step !== undefined);
  return beside?.kind === 'told' ? (beside.step ?? null) : null;
}

/** The first verdict that stops; else the first that has something to tell; else that it holds. */
export function judge<Facts, Step>(checks: readonly Check<Facts, Step>[], facts: Facts): Verdict<Step> {
  const verdicts = checks.map((check) => check(facts));
  const stops = verdicts.find(({ kind }) => kind !== 'holds' && kind !== 'told');
  const notes = verdicts.find((verdict) => verdict.kind === 'holds' && verdict.note !== undefined);
  return stops ?? notes ?? holds;
}
