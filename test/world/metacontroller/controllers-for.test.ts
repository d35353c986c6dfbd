import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';

import { parse } from 'yaml';

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
    const authorization = { secretRef: { name: 'hook', namespace: 'ops', key: 'token' } };
    const overrides = { caBundle: 'PEM', authorization, timeout: '300ms', resyncPeriodSeconds: 2 };
    for (const [, spec] of specs('https://127.0.0.1:1', overrides)) {
      assert.equal(spec.resyncPeriodSeconds, 2);
      assert.deepEqual(spec.hooks.sync.webhook.caBundle, { inline: 'PEM' });
      assert.deepEqual(spec.hooks.sync.webhook.authorization, authorization);
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

interface Kustomization {
  replacements: { targets: { select: { name?: string }; fieldPaths: string[] }[] }[];
  patches: { target: { kind: string; name?: string }; patch: string }[];
}

const kustomization = (folder: string): Partial<Kustomization> =>
  parse(
    readFileSync(new URL(`../../../metacontroller/${folder}kustomization.yaml`, import.meta.url), 'utf8'),
  ) as Partial<Kustomization>;

const controllers = ['postgresqlinstance-controller', 'postgresqltenant-controller'];
const controllersOf = (name?: string): string[] => (name === undefined ? controllers : [name]);

describe('the kustomization', () => {
  /** `<controller> <hook>` of each hook that is shipped. */
  const shipped = [...specs('http://127.0.0.1:1')].flatMap(([name, { hooks }]) =>
    Object.keys(hooks).map((hook) => `${name} ${hook}`),
  );

  it('puts the CA into each webhook', () => {
    const reached = (kustomization('').replacements ?? [])
      .flatMap(({ targets }) => targets)
      .flatMap(({ select, fieldPaths }) =>
        controllersOf(select.name).flatMap((name) =>
          fieldPaths.map((path) =>
            path.replace(/^spec\.hooks\.(\w+)\.webhook\.caBundle\.inline$/, `${name} $1`),
          ),
        ),
      );
    assert.deepEqual(reached.sort(), [...shipped].sort());
  });

  it('has a component that puts the reference to the token into each webhook', () => {
    const reached = (kustomization('token/').patches ?? [])
      .filter(({ target }) => target.kind === 'CompositeController')
      .flatMap(({ target, patch }) =>
        controllersOf(target.name).flatMap((name) =>
          (parse(patch) as { path: string; value: unknown }[]).map(({ path, value }) => {
            assert.deepEqual(Object.keys(value as object), ['secretRef']);
            return path.replace(/^\/spec\/hooks\/(\w+)\/webhook\/authorization$/, `${name} $1`);
          }),
        ),
      );
    assert.deepEqual(reached.sort(), [...shipped].sort());
  });

  it('is for a hook over TLS', () => {
    for (const name of controllers) {
      const file = readFileSync(new URL(`../../../metacontroller/${name}.yaml`, import.meta.url), 'utf8');
      assert.doesNotMatch(file, /http:/);
    }
  });
});
