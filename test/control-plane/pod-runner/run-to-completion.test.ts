import assert from 'node:assert/strict';
import { test } from 'node:test';

import { runToCompletion } from './run-to-completion.ts';
import { templateOf, withTrial } from './trial.ts';

/** A Pod of a namespace, as `helm test` creates one. */
const podOf = (container: object, spec: object = {}): object => ({
  ...templateOf({ ports: [], readinessProbe: undefined, ...container }, spec),
  metadata: { name: 'check', namespace: 'pod', uid: '1' },
});

test('a Pod that ends tells its code and what it wrote', async () => {
  await withTrial(async ({ kube, image }) => {
    for (const code of [0, 3]) {
      const template = podOf({ env: [{ name: 'END', value: '7' }] });
      const run = await runToCompletion({ template, image, kube, overrides: { END: String(code) } });
      assert.equal(run.code, code);
      assert.match(run.output, /"FROM_IMAGE":"yes"/);
      assert.deepEqual(run.overridden, ['END']);
    }
  });
});

test('a script from a ConfigMap is run by the image, and a command replaces the entrypoint', async () => {
  await withTrial(async ({ kube, image, setConfigMap }) => {
    await setConfigMap('checks', {
      'check.mjs': 'console.log("checked", process.argv[2]); process.exitCode = 4;',
    });
    const volumes = [{ name: 'checks', configMap: { name: 'checks', defaultMode: 0o644 } }];
    const volumeMounts = [{ name: 'checks', mountPath: '/checks' }];
    for (const words of [
      { args: ['/checks/check.mjs', 'a'] },
      { command: ['/nodejs/bin/node'], args: ['/checks/check.mjs', 'a'] },
      { command: ['/nodejs/bin/node', '/checks/check.mjs', 'a'] },
    ]) {
      const template = podOf({ ...words, volumeMounts }, { volumes });
      const { code, output } = await runToCompletion({ template, image, kube });
      assert.deepEqual({ code, output }, { code: 4, output: 'checked a\n' });
    }
  });
});

test('a Pod that does not end is killed at its deadline', async () => {
  await withTrial(async ({ kube, image }) => {
    const template = podOf({ env: [{ name: 'METRICS_PORT', value: '0' }] }, { activeDeadlineSeconds: 1 });
    assert.equal((await runToCompletion({ template, image, kube })).code, null);
  });
});

test('a program that cannot be started is an error that names it', async () => {
  await withTrial(async ({ kube, image }) => {
    const template = podOf({ command: ['/no/such/program'] });
    await assert.rejects(
      runToCompletion({ template, image, kube }),
      /ENOENT.*\/no\/such\/program|\/no\/such\/program.*ENOENT/,
    );
  });
});
