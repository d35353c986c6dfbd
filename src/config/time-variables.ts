import { integer } from './value-shapes.ts';
import { variableDocs } from './variable-docs.ts';

/** The most that the end takes after the last answer: closing connections, and giving a token back. */
export const closingSeconds = 10;

export const timeVariables = () => ({
  HOOK_TIMEOUT_SECONDS: integer(
    15,
    300,
    15,
    ': a request is given up at 80 % of it, which must leave room for waits of up to 8 s for PostgreSQL',
  ).register(variableDocs, {
    meaning:
      'The timeout of the hooks, as both CompositeControllers have it (`hooks.*.webhook.timeout`). A request is given up at 80 % of it.',
  }),
  DRAIN_SECONDS: integer(0, 60, 5).register(variableDocs, {
    meaning:
      'How long a process that was told to stop still takes requests, with its readiness down: the time that it takes until nobody sends it any.',
  }),
  CHECK_INTERVAL_SECONDS_MIN: integer(1, 86_400, 600).register(variableDocs, {
    meaning:
      'After a login with the credential of a Tenant worked, the next one is made after a random time: at least this,',
  }),
  CHECK_INTERVAL_SECONDS_MAX: integer(1, 86_400, 3600).register(variableDocs, {
    meaning: 'and at most this.',
  }),
  RESYNC_SECONDS: integer(1, 86_400, 300).register(variableDocs, {
    meaning: 'How long a Tenant or an Instance that needs nothing is left alone.',
  }),
});
