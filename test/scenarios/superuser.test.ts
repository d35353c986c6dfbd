import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { assertNothingLeaked } from './canaries.ts';
import { asTenant } from './sql.ts';
import { raise, type Stage } from './stage.ts';
import { ready, remove } from './tenants.ts';

let stage: Stage;
before(async () => {
  stage = await raise({ management: 'superuser' });
});
after(() => stage.close());

test('A superuser installs what only a superuser may, before the application is let in', async () => {
  await ready(stage, 'watcher', {
    extensions: [{ name: 'citext' }, { name: 'pg_buffercache' }],
    deletionPolicy: 'Delete',
  });
  const names = 'select extname as name from pg_catalog.pg_extension order by extname';
  assert.deepEqual(
    (await asTenant<{ name: string }>(stage, 'watcher', names)).map(({ name }) => name),
    ['citext', 'pg_buffercache', 'plpgsql'],
  );
  await remove(stage, 'watcher');
});

test('None of this showed a password or a token', () => assertNothingLeaked(stage));
