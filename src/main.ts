import { readFileSync } from 'node:fs';

import { readConfig } from './config.ts';
import { createLogger } from './logger.ts';
import { startProcess } from './process.ts';

/* The process: configuration, start, and an orderly end. Everything else is made in process.ts and passed down. */

const config = configured();
const logger = createLogger(config.logLevel);
const operator = await startProcess(config, logger).catch((error: unknown) => {
  logger.fatal({ err: error }, 'cannot start');
  process.exit(1);
});

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.once(signal, () => {
    logger.info({ signal }, 'stopping');
    void operator.stop().then(
      () => process.exit(0),
      (error: unknown) => {
        logger.error({ err: error }, 'could not stop in order');
        process.exit(1);
      },
    );
  });
}

function configured() {
  try {
    return readConfig(process.env, (path) => readFileSync(path, 'utf8'));
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : 'the configuration cannot be read'}\n`);
    process.exit(2);
  }
}
