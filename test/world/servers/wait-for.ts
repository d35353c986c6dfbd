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
    const answer = await inTime(probe, timeoutMs - (Date.now() - startedAt));
    if (answer !== undefined && answer !== false) return answer as Exclude<T, undefined | false>;
    const waitedMs = Date.now() - startedAt;
    if (waitedMs >= timeoutMs) throw new Error(`waited ${timeoutMs} ms in vain for ${what}`);
    await sleep(everyMs ?? pauseAfter(waitedMs));
  }
}

/** What a probe gives, or undefined when it gives nothing in time. */
async function inTime<T>(probe: () => T | Promise<T>, leftMs: number): Promise<T | undefined> {
  const late = new AbortController();
  try {
    const nothing = sleep(Math.max(leftMs, 0), undefined, { signal: late.signal });
    return await Promise.race([probe(), nothing]);
  } finally {
    late.abort();
  }
}
