import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';

import { loggable } from '../../src/log/loggable.ts';
import { createLogger } from '../../src/log/logger.ts';
import { Secret } from '../../src/secret.ts';
import { keptLog } from './kept-log.ts';

const canary = 'CANARY1234567890';

test('short texts, numbers, lists and plain objects stay as they are', () => {
  const fields = { a: 'b', n: 1, yes: true, no: null, list: ['x', { deep: 2 }], none: undefined };
  assert.deepEqual(loggable(fields), fields);
});

test('a long text is cut, and it is said by how much', () => {
  assert.equal(loggable('x'.repeat(1_000)), 'x'.repeat(1_000));
  assert.equal(loggable('x'.repeat(1_500)), `${'x'.repeat(1_000)} [500 more]`);
});

test('long lists and objects with many fields are cut, too', () => {
  const list = loggable(Array.from({ length: 100 }, (_, index) => index)) as unknown[];
  assert.deepEqual([list.length, list.at(-1)], [31, '[70 more]']);
  const many = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`k${index}`, index]));
  const fields = loggable(many) as Record<string, unknown>;
  assert.deepEqual([Object.keys(fields).length, fields['more']], [31, 70]);
});

test('what is nested deeply, or in itself, ends', () => {
  const circular: Record<string, unknown> = {};
  circular['self'] = circular;
  assert.deepEqual(loggable(circular), { self: { self: { self: { self: '[deeper]' } } } });
});

test('an object of a class is shown by the name of the class only', () => {
  class Request {
    readonly headers = { authorization: canary };
    toJSON() {
      return this.headers;
    }
  }
  const shown = loggable({
    request: new Request(),
    bytes: Buffer.from(canary),
    map: new Map([['k', canary]]),
    url: new URL(`http://x:${canary}@y/`),
    fn: () => canary,
    symbol: Symbol(canary),
    big: 7n,
  });
  assert.deepEqual(shown, {
    request: '[Request]',
    bytes: '[Buffer]',
    map: '[Map]',
    url: '[URL]',
    fn: '[function]',
    symbol: '[symbol]',
    big: '7',
  });
});

test('a Secret and a Date say themselves how they want to be seen', () => {
  const at = new Date(0);
  assert.equal(
    JSON.stringify(loggable({ secret: new Secret(canary), at })),
    '{"secret":"[secret]","at":"1970-01-01T00:00:00.000Z"}',
  );
});

test('an error is cut down at any depth', () => {
  const error = Object.assign(new Error('outer', { cause: canary }), { config: { token: canary } });
  const shown = loggable({ list: [{ error }] }) as { list: [{ error: Record<string, unknown> }] };
  assert.deepEqual(Object.keys(shown.list[0].error), ['name', 'message', 'stack']);
});

const thrownBy = (work: () => unknown): Error => {
  try {
    work();
  } catch (error) {
    return error as Error;
  }
  return assert.fail('nothing was thrown');
};

test('an error whose message may repeat a value is shown without it', () => {
  const errors: Error[] = [
    new SyntaxError(canary),
    Object.assign(new Error(canary), { code: '22P02' }),
    new (class Other extends Error {})(canary),
    thrownBy(() => JSON.parse(canary) as unknown),
  ];
  for (const error of errors) {
    const shown = loggable(error) as Record<string, string>;
    assert.ok(!JSON.stringify(shown).includes(canary), error.name);
    assert.match(shown['stack'] ?? '', /^ {4}at .*\n {4}at /, error.name);
  }
  assert.equal((loggable(errors[1]) as Record<string, string>)['code'], '22P02');
});

test('an error of our own, of the language or of the system says what it has to say', async () => {
  const missing: unknown = await readFile('/none').catch((error: unknown) => error);
  for (const error of [new Error('a catalog is missing'), new TypeError('x is not a function'), missing]) {
    const { message, stack } = loggable(error) as Record<string, string>;
    assert.equal(message, (error as Error).message);
    assert.ok(stack?.includes(message));
  }
});

test('no text can break a line, colour a terminal or turn the direction of writing', () => {
  const kept = keptLog();
  const text = 'a\nb\rc\u001b[31md\u2028e\u2029f\u202eg\u009bh\u007fi\u0000j';
  createLogger('info', kept).warn({ text, list: [text], object: { [text]: text } }, 'phrase');
  const written = kept.text();
  assert.equal(written.split('\n').length, 2, 'one line, and its end');
  assert.match(written, /^[\u0020-\u007e\ufffd]*\n$/);
  assert.equal(kept.lines()[0]?.['text'], 'a\nb\rc\u001b[31md\ufffde\ufffdf\ufffdg\ufffdh\ufffdi\u0000j');
});

test('a line is bounded, whatever is put into it', () => {
  const kept = keptLog();
  const long = 'x'.repeat(1_000_000);
  const error = new Error(long);
  createLogger('info', kept).error({ err: error, detail: long, fields: Array(1_000).fill(long) }, 'phrase');
  assert.ok(kept.text().length < 40_000, `${kept.text().length} characters`);
});

test('what is thrown and is no Error is told by its type only', () => {
  const kept = keptLog();
  const logger = createLogger('info', kept);
  for (const err of [canary, { token: canary }, 7, undefined, null]) logger.error({ err }, 'bug');
  assert.deepEqual(
    kept.lines().map(({ err }) => err),
    ['string', 'object', 'number', 'undefined', 'object'].map((type) => ({ name: `thrown ${type}` })),
  );
});
