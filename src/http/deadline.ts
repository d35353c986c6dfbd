import { Overload } from './overload.ts';

/**
 * Answers by the deadline, whatever the work does: Metacontroller would give up a little later and call again at once.
 * The work itself goes on and is bounded by its own limits; its late result is dropped, and a late decision of it
 * dies in the write transaction.
 */
export async function byDeadline<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(new Overload('deadline', 'the request took too long', 2));
    }, milliseconds);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
    work.catch(() => undefined); // nobody else listens when the deadline came first
  }
}
