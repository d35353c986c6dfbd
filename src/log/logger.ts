import { pino, stdTimeFunctions, type DestinationStream, type Logger } from 'pino';

import { loggable } from './loggable.ts';

/* The net below the `Secret` type: nothing is meant to be caught here. */
const secretKeys = [
  'password',
  'token',
  'client_token',
  'secret',
  'secret_id',
  'jwt',
  'uri',
  'authorization',
  'Authorization',
  'cookie',
  'x-vault-token',
  'X-Vault-Token',
];
const prefixes = ['', '*', '*.*', '*.*.*'];

const secretPaths = prefixes.flatMap((prefix) => secretKeys.map((key) => `${prefix}["${key}"]`));

/** What was thrown and is no Error may be anything, a secret too: only its type is told. */
const loggedError = (value: unknown): unknown =>
  value instanceof Error ? loggable(value) : { name: `thrown ${typeof value}` };

const errorKeys: ReadonlySet<string> = new Set(['err', 'error']);

/**
 * JSON lines with ISO time and level names. Errors are cut down to name, message, reason and stack under any key, texts
 * and lists to a bounded length.
 */
export const createLogger = (level: string, destination?: DestinationStream): Logger =>
  pino(
    {
      level,
      base: null,
      timestamp: stdTimeFunctions.isoTime,
      redact: { paths: secretPaths, censor: '[secret]' },
      formatters: {
        level: (label) => ({ level: label }),
        log: (fields) =>
          Object.fromEntries(
            Object.entries(fields).map(([key, value]) => [
              key,
              errorKeys.has(key) ? loggedError(value) : loggable(value),
            ]),
          ),
      },
      // pino's own would write down everything that hangs on an error.
      serializers: { err: (value: unknown) => value },
    },
    destination,
  );
