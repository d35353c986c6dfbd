import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { watchedFiles } from '../../src/hook-credentials/watched-files.ts';
import { mountSecret } from '../process/mounted-secret.ts';
import { waitFor } from '../world/servers/wait-for.ts';

async function mounted(t: TestContext) {
  const secret = await mountSecret({ a: '1', b: '1' });
  t.after(() => secret[Symbol.asyncDispose]());
  return {
    folder: dirname(secret.path('a')),
    replace: (a: string, b: string) => secret.replace({ a, b }),
    paths: [secret.path('a'), secret.path('b')],
  };
}

/** Takes two equal texts; keeps all that is told. */
async function following(
  t: TestContext,
  paths: readonly string[],
  use: (value: string | undefined) => void = () => undefined,
) {
  const told: string[] = [];
  const files = await watchedFiles({
    paths,
    everyMs: 30,
    read: ([a, b]) => (a === b ? { value: a } : { fault: `${a} is not ${b}` }),
  });
  t.after(() => {
    files.stop();
  });
  files.follow({
    onChange: (value) => {
      use(value);
      told.push(`+${value}`);
    },
    onFault: (fault) => told.push(`-${fault}`),
  });
  return { files, told, until: (last: string) => waitFor(last, () => told.at(-1) === last) };
}

test('a folder that is swapped below the files is noticed, each time once', async (t) => {
  const { replace, paths } = await mounted(t);
  const { files, told, until } = await following(t, paths);
  assert.equal(files.value, '1');
  await replace('2', '2');
  await until('+2');
  await replace('3', '3');
  await until('+3');
  await sleep(150);
  assert.deepEqual(told, ['+2', '+3']);
});

test('what cannot be used is told once, and what comes after it counts again', async (t) => {
  const { replace, paths } = await mounted(t);
  const { told, until } = await following(t, paths);
  await replace('2', 'x');
  await until('-2 is not x');
  await sleep(150);
  await replace('1', '1');
  await until('+1');
  assert.deepEqual(told, ['-2 is not x', '+1']);
});

test('files that are gone, or far too large, are told once, and are found again', async (t) => {
  const { folder, replace, paths } = await mounted(t);
  const { told, until } = await following(t, paths);
  await rm(join(folder, '..data'));
  await until('-cannot be read');
  await sleep(150);
  await replace('2', '2');
  await until('+2');
  await replace('3'.repeat(2_000_000), '3');
  await until('-cannot be read');
  assert.deepEqual(told, ['-cannot be read', '+2', '-cannot be read']);
});

test('what cannot be put to use is a fault like any, told once, and what comes after it counts again', async (t) => {
  const { replace, paths } = await mounted(t);
  const { told, until } = await following(t, paths, (value) => {
    if (value === '2') throw new Error('no');
  });
  await replace('2', '2');
  await until('-cannot be put to use');
  await replace('3', '3');
  await until('+3');
  assert.deepEqual(told, ['-cannot be put to use', '+3']);
});

test('the same content under another time is no change', async (t) => {
  const { replace, paths } = await mounted(t);
  const { told } = await following(t, paths);
  await replace('1', '1');
  await sleep(150);
  assert.deepEqual(told, []);
});

test('after the stop nothing is told', async (t) => {
  const { replace, paths } = await mounted(t);
  const { files, told } = await following(t, paths);
  files.stop();
  await replace('2', '2');
  await sleep(150);
  assert.deepEqual(told, []);
});

test('files that cannot be used to begin with are an error that names them', async () => {
  const read = () => ({ fault: 'hold nothing' });
  await assert.rejects(watchedFiles({ paths: ['/nowhere'], read }), /^Error: \/nowhere: cannot be read$/);
  const here = import.meta.filename;
  await assert.rejects(
    watchedFiles({ paths: [here], read }),
    /^Error: .*watched-files\.test\.ts: hold nothing$/,
  );
});
