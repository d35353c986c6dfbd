import { pino, stdTimeFunctions, type DestinationStream, type Logger } from 'pino';

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

/** What a log line may say of an error: libraries hang requests, answers and causes with secrets on theirs. */
interface LoggedError {
  readonly name: string;
  readonly message: string;
  readonly reason?: string;
  readonly stack?: string;
}

const logged = (error: Error): LoggedError => ({
  name: error.name,
  message: error.message,
  ...('reason' in error && typeof error.reason === 'string' ? { reason: error.reason } : {}),
  ...(error.stack === undefined ? {} : { stack: error.stack }),
});

const loggedIfError = (value: unknown): unknown => (value instanceof Error ? logged(value) : value);

/** JSON lines with ISO time and level names. Errors are cut down to name, message, reason and stack under any key. */
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
          Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, loggedIfError(value)])),
      },
      serializers: { err: loggedIfError, error: loggedIfError },
    },
    destination,
  );
