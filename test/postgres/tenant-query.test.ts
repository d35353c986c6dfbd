import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';

import { type LiveServer, LiveTenant, startLiveServer } from './live-server.ts';

describe('a query that PostgreSQL cannot read', () => {
  let live: LiveServer;
  before(async () => {
    live = await startLiveServer();
  });
  after(() => live.close());

  const malformed = [
    { tenantUid: 'not-a-uuid' },
    { tenantUid: `${randomUUID()}'` },
    { databaseName: 'a\0b' },
    { roleName: 'a\0b' },
    { databaseName: 'x'.repeat(64) },
    { roleName: 'ü'.repeat(32) },
  ];

  it('fails alone: those that wait beside it are answered', async () => {
    const tenants = Array.from({ length: 3 }, () => new LiveTenant(live));
    const good = tenants.map((tenant) => tenant.observe());
    const bad = malformed.map((wrong) =>
      assert.rejects(
        live.server.observe.tenant({ tenantUid: randomUUID(), databaseName: 'a', roleName: 'a', ...wrong }),
        { reason: 'NameInvalid' },
      ),
    );
    const late = tenants.map((tenant) => tenant.observe());
    for (const { row } of await Promise.all([...good, ...late])) assert.equal(row, null);
    await Promise.all(bad);
  });

  it('about extensions fails alone too', async () => {
    const good = live.server.observe.extensions(['citext']);
    await assert.rejects(live.server.observe.extensions(['cit\0ext']), { reason: 'NameInvalid' });
    assert.ok((await good).length > 0);
  });

  it('is not a name of exactly 63 bytes', async () => {
    const query = { tenantUid: randomUUID(), databaseName: 'x'.repeat(63), roleName: 'x'.repeat(63) };
    assert.equal((await live.server.observe.tenant(query)).row, null);
  });
});
