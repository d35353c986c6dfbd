import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';

/**
 * The last answer on a connection, to a request whose body is still coming: given at once, and ended when the body is
 * over. Closed before that, a client that is still sending might not see why it was refused.
 */
export const partingAnswer = (text: string, request: IncomingMessage): Readable =>
  Readable.from(
    (async function* () {
      yield text;
      await new Promise<void>((resolve) => {
        request
          .once('end', () => resolve())
          .once('close', () => resolve())
          .resume();
      });
    })(),
  );
