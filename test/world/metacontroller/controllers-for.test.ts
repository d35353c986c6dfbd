import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { parseCompositeController, webhookTimeoutMs, webhookUrl } from './composite-controller.ts';
import { controllersFor } from './controllers-for.ts';

const specs = (...args: Parameters<typeof controllersFor>) =>
  new Map(
    controllersFor(...args).map(
      (object) => [object.metadata.name, parseCompositeController(object)] as const,
    ),
  );

describe('the shipped CompositeControllers', () => {
  it('call the product’s paths, at the origin that the test world gives', () => {
    const hooks = [...specs('http://127.0.0.1:1234')].flatMap(([name, spec]) =>
      Object.values(spec.hooks)
        .filter((hook) => hook !== undefined)
        .map((hook) => `${name} ${webhookUrl(hook.webhook)} ${webhookTimeoutMs(hook.webhook)}`),
    );
    assert.deepEqual(hooks, [
      'postgresqlinstance-controller http://127.0.0.1:1234/instances/sync 15000',
      'postgresqlinstance-controller http://127.0.0.1:1234/instances/finalize 15000',
      'postgresqltenant-controller http://127.0.0.1:1234/tenants/sync 15000',
      'postgresqltenant-controller http://127.0.0.1:1234/tenants/finalize 15000',
      'postgresqltenant-controller http://127.0.0.1:1234/tenants/customize 2000',
    ]);
  });

  it('manage one kind of child, in place, and only for Tenants', () => {
    const children = [...specs('http://127.0.0.1:1')].map(([, spec]) => spec.childResources);
    assert.deepEqual(children, [
      [],
      [
        {
          apiVersion: 'external-secrets.io/v1',
          resource: 'externalsecrets',
          updateStrategy: { method: 'InPlace' },
        },
      ],
    ]);
  });

  it('look again at everything within half an hour, the longest that Metacontroller keeps to', () => {
    const periods = [...specs('http://127.0.0.1:1')].map(([, spec]) => spec.resyncPeriodSeconds);
    assert.deepEqual(periods, [300, 900]);
  });

  it('take the overrides of the test world', () => {
    const overrides = { caBundle: 'PEM', timeout: '300ms', resyncPeriodSeconds: 2 };
    for (const [, spec] of specs('https://127.0.0.1:1', overrides)) {
      assert.equal(spec.resyncPeriodSeconds, 2);
      assert.deepEqual(spec.hooks.sync.webhook.caBundle, { inline: 'PEM' });
      assert.equal(webhookTimeoutMs(spec.hooks.sync.webhook), 300);
    }
  });
});

describe('a CompositeController that the stand-in does not model', () => {
  it('is refused', () => {
    const [object] = controllersFor('http://127.0.0.1:1');
    assert.ok(object);
    const etag = { url: 'http://x', etag: { enabled: true } };
    const spec = { ...object.spec, hooks: { sync: { version: 'v2', webhook: etag } } };
    assert.throws(() => parseCompositeController({ ...object, spec }), /etag/);
    const v1 = { ...object.spec, hooks: { sync: { webhook: { url: 'http://x' } } } };
    assert.throws(() => parseCompositeController({ ...object, spec: v1 }), /version/);
  });
});
