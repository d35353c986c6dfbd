import { constants } from 'node:os';

/** How the demo is asked to end: aborted with the exit code as its reason. */
export interface Ending {
  readonly signal: AbortSignal;
  /** Rejects as soon as the demo is to end. */
  readonly asked: Promise<never>;
}

/**
 * From now on a signal does not end the process at once, but asks it to end what it started. Asking twice changes
 * nothing: npm passes on the Ctrl-C that the terminal has sent us already.
 */
export function endOnSignals(): Ending {
  const controller = new AbortController();
  const end = (code: number): void => {
    if (!controller.signal.aborted) controller.abort(code);
  };
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(name, () => {
      end(128 + constants.signals[name]);
    });
  }
  // A reader that went away (`| head`) or a terminal that was closed: without a listener we would die here at once.
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', () => {
      end(128 + constants.signals.SIGPIPE);
    });
  }
  process.on('uncaughtException', (error) => {
    console.error(error);
    end(1);
  });
  const asked = new Promise<never>((_resolve, reject) => {
    controller.signal.addEventListener('abort', () => {
      reject(new Error('asked to end'));
    });
  });
  asked.catch(() => undefined); // nobody may be listening yet
  return { signal: controller.signal, asked };
}
