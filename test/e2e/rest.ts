import type { HookCall } from '../world/metacontroller/hooks.ts';

/** How long nothing is done: AT_REST_SECONDS, or ten minutes. */
export const restSeconds = (): number => Number(process.env['AT_REST_SECONDS'] ?? '600');

/** A timer of Metacontroller is so exact, milliseconds. */
const exactness = 1_500;

/** The calls about one object that no earlier answer had asked for with its `resyncAfterSeconds`. */
export const unexplained = (calls: readonly HookCall[]): HookCall[] =>
  calls.filter(
    (call, index) =>
      !calls.slice(0, index).some((earlier) => Math.abs(call.startedAt - timerOf(earlier)) < exactness),
  );

function timerOf({ startedAt, durationMs, response }: HookCall): number {
  const { resyncAfterSeconds } = response as { resyncAfterSeconds?: number };
  return resyncAfterSeconds === undefined ? -Infinity : startedAt + durationMs + 1000 * resyncAfterSeconds;
}
