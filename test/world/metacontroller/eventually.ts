import { setTimeout as sleep } from 'node:timers/promises';

/** Tries `check` every 20 ms until it does not throw; its last error after `timeoutMs`. */
export const eventually = async <T>(check: () => T | Promise<T>, timeoutMs = 8_000): Promise<T> => {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await sleep(20);
    }
  }
};
