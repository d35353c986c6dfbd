import assert from 'node:assert/strict';
import { it } from 'node:test';

import { type ExternalSecret, readExternalSecret } from './external-secret.ts';
import { resourceVersionOf } from './hashes.ts';
import { shouldRefresh, untilNextRefresh } from './refresh.ts';

const now = Date.parse('2026-01-01T12:00:00Z');
const metadata = { name: 'a', namespace: 'team', generation: 2 };
const current = resourceVersionOf(metadata);

const withStatus = (spec: object, status: object = {}): ExternalSecret =>
  readExternalSecret({
    apiVersion: 'external-secrets.io/v1',
    kind: 'ExternalSecret',
    metadata,
    spec: { secretStoreRef: { name: 's', kind: 'ClusterSecretStore' }, ...spec },
    status: { ...status },
  });

const synced = (refreshTime: string, syncedResourceVersion = current): object => ({
  refreshTime,
  syncedResourceVersion,
});

const table: [title: string, spec: object, status: object, answer: boolean][] = [
  ['nothing was ever synced', {}, {}, true],
  ['the interval is not over', {}, synced('2026-01-01T11:00:01Z'), false],
  ['the interval is over', {}, synced('2026-01-01T11:00:00Z'), true],
  ['a shorter interval is over', { refreshInterval: '1m30s' }, synced('2026-01-01T11:58:00Z'), true],
  ['the last refresh lies in the future', {}, synced('2026-01-01T12:00:01Z'), true],
  ['the spec changed', {}, synced('2026-01-01T11:59:59Z', '1-old'), true],
  [
    'an interval of 0 knows no change',
    { refreshInterval: '0s' },
    synced('2026-01-01T11:00:00Z', '1-old'),
    false,
  ],
  ['an interval of 0 syncs once', { refreshInterval: '0s' }, {}, true],
  ['OnChange knows no interval', { refreshPolicy: 'OnChange' }, synced('2025-01-01T00:00:00Z'), false],
  ['OnChange follows the spec', { refreshPolicy: 'OnChange' }, synced('2026-01-01T11:59:59Z', '1-old'), true],
  [
    'CreatedOnce is done after the first',
    { refreshPolicy: 'CreatedOnce' },
    synced('2025-01-01T00:00:00Z', '1-old'),
    false,
  ],
];

for (const [title, spec, status, answer] of table) {
  it(`${answer ? 'asks' : 'does not ask'} for a fetch when ${title}`, () => {
    assert.equal(shouldRefresh(withStatus(spec, status), now), answer);
  });
}

it('waits for the rest of the interval, and for nothing where there is none', () => {
  assert.equal(untilNextRefresh(withStatus({}, synced('2026-01-01T11:30:00Z')), now), 30 * 60_000);
  assert.equal(
    untilNextRefresh(withStatus({ refreshPolicy: 'OnChange' }, synced('2026-01-01T11:30:00Z')), now),
    undefined,
  );
  assert.equal(
    untilNextRefresh(withStatus({ refreshInterval: '0s' }, synced('2026-01-01T11:30:00Z')), now),
    undefined,
  );
});
