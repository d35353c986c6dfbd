import { setTimeout as sleep } from 'node:timers/promises';

/** What takes long is looked at less often: after a tenth of the time that it took so far, milliseconds. */
const pauseAfter = (waitedMs: number): number => Math.min(Math.max(waitedMs / 10, 20), 100);

/**
 * Looks again and again until `probe` gives something other than undefined and false, and gives that back; `everyMs` where
 * the pauses between are to be equal. @throws Error naming `what` after `timeoutMs`
 */
export async function waitFor<T>(
  what: string,
  probe: () => T | Promise<T>,
  { timeoutMs = 30_000, everyMs }: { timeoutMs?: number; everyMs?: number } = {},
): Promise<Exclude<T, undefined | false>> {
  const startedAt = Date.now();
  for (;;) {
    const answer = await probe();
    if (answer !== undefined && answer !== false) return answer as Exclude<T, undefined | false>;
    const waitedMs = Date.now() - startedAt;
    if (waitedMs > timeoutMs) throw new Error(`waited ${timeoutMs} ms in vain for ${what}`);
    await sleep(everyMs ?? pauseAfter(waitedMs));
  }
}
