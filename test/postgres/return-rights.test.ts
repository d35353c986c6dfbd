import assert from 'node:assert/strict';
import { test } from 'node:test';

import { DatabaseError } from 'pg';

import { Trouble } from '../../src/errors.ts';
import type { Connection } from '../../src/postgres/connection.ts';
import { returnRights } from '../../src/postgres/self-grant.ts';
import type { TenantHandle } from '../../src/reconcile/ports.ts';

/** Gives rights back on a session of which every statement ends in this error; resolves whether the session was ended. */
async function afterFailure(error: Error): Promise<boolean> {
  let ended = false;
  const connection = {
    run: () => Promise.reject(error),
    destroy: () => {
      ended = true;
    },
  };
  await returnRights(connection as unknown as Connection, {} as TenantHandle, { oid: '1', name: 'r' });
  return ended;
}

const known: Readonly<Record<string, Error>> = {
  'an error of the server': new DatabaseError('canceling statement due to lock timeout', 0, 'error'),
  'an error of the network': Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }),
  'known trouble': new Trouble('Busy', 'locked'),
};

for (const [what, error] of Object.entries(known)) {
  test(`rights that cannot be given back for ${what} are left to the next look`, async () => {
    assert.equal(await afterFailure(error), true);
  });
}

test('a bug in giving rights back is not taken for the weather', async () => {
  await assert.rejects(afterFailure(new TypeError('not a function')), TypeError);
});
