/** Waits for the promise, but no longer than `ms`; what it gives, or throws, is of no interest any more. */
export const atMost = async (ms: number, promise: Promise<unknown>): Promise<void> => {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise((resolve) => (timer = setTimeout(resolve, ms)));
  await Promise.race([promise.catch(() => undefined), timeout]);
  clearTimeout(timer);
};
