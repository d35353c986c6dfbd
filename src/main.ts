import { readFileSync } from 'node:fs';

import { readConfig } from './config/read-config.ts';
import { lastWords } from './last-words.ts';
import { createLogger } from './logger.ts';
import { startProcess } from './process.ts';

/* The process: configuration, start, and an orderly end. Everything else is made in process.ts and passed down. */

const config = configured();
const logger = createLogger(config.logLevel);
process.on('uncaughtException', die);
process.on('unhandledRejection', die);
const operator = await startProcess(config, logger).catch((error: unknown) => {
  logger.fatal({ err: error }, 'cannot start');
  process.exit(1);
});

/** For what comes after the last answer: closing connections, and giving a token back. */
const afterDeadlineMs = 10_000;
const signals = ['SIGTERM', 'SIGINT'] as const;
const secondSignal = new AbortController();
let stopping = false;

for (const name of signals) process.on(name, stopOrHurry);

function stopOrHurry(signal: NodeJS.Signals) {
  if (stopping) {
    secondSignal.abort();
    return;
  }
  stopping = true;
  logger.info({ signal }, 'stopping');
  void stop().then(
    () => process.exit(0),
    (error: unknown) => {
      logger.error({ err: error }, 'could not stop in order');
      process.exit(1);
    },
  );
}

async function stop() {
  await operator.drain(secondSignal.signal);
  // Who is in a hurry after the pause gets what Node does by itself: the process ends at once.
  for (const name of signals) process.off(name, stopOrHurry);
  setTimeout(() => {
    logger.error('could not stop in time');
    process.exit(1);
  }, config.deadlineMs + afterDeadlineMs).unref();
  await operator.close();
}

/** What is left after an error that nobody expected cannot be trusted; somebody starts the process again. */
function die(error: unknown) {
  logger.fatal(lastWords(error), 'unexpected error');
  process.exit(1);
}

function configured() {
  try {
    return readConfig(process.env, (path) => readFileSync(path, 'utf8'));
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : 'the configuration cannot be read'}\n`);
    process.exit(2);
  }
}
