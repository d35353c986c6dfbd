import { setTimeout as sleep } from 'node:timers/promises';

import { NotThereYet } from './config-objects.ts';

/** Tries again while `NotThereYet` is thrown. @throws Error with the last of these, after `timeoutMs` */
export async function withinTime<T>(what: string, timeoutMs: number, attempt: () => Promise<T>): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof NotThereYet)) throw error;
      if (Date.now() > deadline)
        throw new Error(`waited ${timeoutMs} ms in vain for ${what}: ${error.message}`, { cause: error });
    }
    await sleep(100);
  }
}
