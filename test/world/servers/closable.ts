/** Says how a part that was just started is ended. */
export type AtEnd = (end: () => Promise<unknown>) => void;

/**
 * What `build` puts together, with a `close` that ends its parts, the last one first; each is ended, whatever becomes of the
 * others. When `build` fails, what it has started by then is ended before its error is thrown.
 */
export async function closable<T extends object>(
  build: (atEnd: AtEnd) => Promise<T>,
): Promise<T & { close(): Promise<void> }> {
  const ends: (() => Promise<unknown>)[] = [];
  const close = async (): Promise<void> => {
    const failures: unknown[] = [];
    for (const end of ends.splice(0).reverse()) {
      try {
        await end();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw new AggregateError(failures, 'not everything could be ended in order');
  };
  try {
    return { ...(await build((end) => ends.push(end))), close };
  } catch (error) {
    await close().catch((later: unknown) => {
      throw new AggregateError([error, later], String(error));
    });
    throw error;
  }
}
