import assert from 'node:assert/strict';
import { test } from 'node:test';

import { gone, head, listening } from './listening-app.ts';
import { routeThat } from './trial-app.ts';

const good = `${head(2)}{}`;

test('a connection that sends its next request before its answer is ended; of the others none is begun', async (t) => {
  let begun = 0;
  const routes = routeThat(() => {
    begun += 1;
    return new Promise(() => undefined);
  });
  const { send } = await listening(t, { routes });
  await gone(await send(good.repeat(100)));
  assert.ok(begun <= 1);
});

test('what a connection sends ahead is not even read from the piece that it came in', async (t) => {
  const { app, send } = await listening(t, { routes: routeThat(() => new Promise(() => undefined)) });
  let read = 0;
  app.server.on('request', () => (read += 1));
  await gone(await send(head(0).repeat(200)));
  assert.ok(read <= 3, `${read} were read`);
});

test('heads that are refused at once are no better: two at most are looked at', async (t) => {
  const { send, metrics } = await listening(t, { tokens: ['0123456789'.repeat(4)] });
  await gone(await send(head(0).repeat(200)));
  const [, refused] = /refusals_total\{cause="unauthorized"\} (\d+)/.exec(await metrics.render()) ?? [];
  assert.ok(Number(refused) <= 2, `${refused} were refused`);
});
