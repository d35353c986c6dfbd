import { readConfig } from './config/read-config.ts';
import { closingSeconds } from './config/time-variables.ts';
import { createLogger } from './log/logger.ts';
import { readRegularFileSync } from './http-client/regular-file.ts';
import { startProcess } from './process/start.ts';

/* The process: configuration, start, and an orderly end. Everything else is made in process/start.ts and passed down. */

const config = configured();
const logger = createLogger(config.logLevel);
process.on('uncaughtException', die);
process.on('unhandledRejection', die);
let stopping = false;
// Before the start: the first process of a container does not even get a signal that it has no handler for.
for (const name of ['SIGTERM', 'SIGINT'] as const) process.on(name, onSignal);
const starting = startProcess(config, logger).catch((error: unknown) => {
  logger.fatal({ err: error }, 'cannot start');
  sayIfSilent('cannot start', error);
  process.exit(1);
});

/** The first one asks for an orderly end, the second one for an end. */
function onSignal(signal: NodeJS.Signals) {
  if (stopping) process.exit(1);
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
  const operator = await starting;
  await operator.drain();
  setTimeout(
    () => {
      logger.error('could not stop in time');
      process.exit(1);
    },
    config.deadlineMs + closingSeconds * 1_000,
  ).unref();
  await operator.close();
}

/** What is left after an error that nobody expected cannot be trusted; somebody starts the process again. */
function die(error: unknown) {
  logger.fatal({ err: error }, 'unexpected error');
  sayIfSilent('unexpected error', error);
  process.exit(1);
}

/** Without a log somebody would see an exit code and nothing else. */
function sayIfSilent(what: string, error: unknown) {
  if (config.logLevel !== 'silent') return;
  process.stderr.write(`${what}: ${error instanceof Error ? error.message : typeof error}\n`);
}

function configured() {
  try {
    return readConfig(process.env, readRegularFileSync);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : 'the configuration cannot be read'}\n`);
    process.exit(2);
  }
}
