import assert from 'node:assert/strict';
import { test } from 'node:test';

import axios from 'axios';

import { Trouble } from '../../src/errors.ts';
import { createLogger } from '../../src/log/logger.ts';
import { Secret } from '../../src/secret.ts';

const canary = 'CANARY1234567890';

const linesOf = (log: (logger: ReturnType<typeof createLogger>) => void, level = 'info'): string[] => {
  const lines: string[] = [];
  log(createLogger(level, { write: (line) => void lines.push(line) }));
  return lines;
};

const fieldsOf = (log: (logger: ReturnType<typeof createLogger>) => void): Record<string, unknown> =>
  JSON.parse(linesOf(log)[0]!) as Record<string, unknown>;

test('a line is JSON with an ISO time, the name of its level and its fields', () => {
  const { time, ...rest } = fieldsOf((log) => log.warn({ tenant: 'a/b' }, 'role created'));
  assert.deepEqual(rest, { level: 'warn', tenant: 'a/b', msg: 'role created' });
  assert.match(String(time), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
});

test('lines below the level are not written', () => {
  assert.deepEqual(
    linesOf((log) => log.info('x'), 'warn'),
    [],
  );
});

test('secret keys are redacted on every level down to the fourth', () => {
  const keys = [
    'password',
    'token',
    'authorization',
    'x-vault-token',
    'X-Vault-Token',
    'jwt',
    'client_token',
    'uri',
  ];
  for (const key of keys) {
    const leaf = { [key]: canary };
    const [line] = linesOf((log) => log.info({ ...leaf, a: { ...leaf, b: { ...leaf, headers: leaf } } }));
    assert.doesNotMatch(line!, new RegExp(canary), key);
    assert.equal(line!.split('[secret]').length, 5, key);
  }
});

test('a Secret is redacted under any key', () => {
  const [line] = linesOf((log) =>
    log.info({ whatever: new Secret(canary), deep: { list: [new Secret(canary)] } }),
  );
  assert.doesNotMatch(line!, new RegExp(canary));
});

test('an error is logged with name, message, reason and stack', () => {
  const error = new Trouble('OpenBaoSealed', 'cannot read: sealed');
  for (const fields of [fieldsOf((log) => log.error(error)), fieldsOf((log) => log.error({ err: error }))]) {
    const err = fields['err'] as Record<string, string>;
    assert.deepEqual(Object.keys(err), ['name', 'message', 'reason', 'stack']);
    assert.deepEqual(
      [err['name'], err['message'], err['reason']],
      ['Trouble', 'cannot read: sealed', 'OpenBaoSealed'],
    );
  }
});

test('what a library hangs on its error is not logged, under whatever key and however deep the cause', async () => {
  const library = await axios
    .post(
      'http://127.0.0.1:1/',
      { data: { password: canary } },
      { headers: { 'X-Vault-Token': canary }, proxy: false },
    )
    .then(
      () => assert.fail('nobody listens there'),
      (error: unknown) => error,
    );
  assert.match(JSON.stringify(library), new RegExp(canary), 'the error does carry the canary');
  const wrapped = new Error('outer', { cause: library });
  const lines = linesOf((log) => {
    log.error(library);
    log.error({ err: library }, 'x');
    log.error({ error: wrapped }, 'x');
    log.error({ failure: library, err: wrapped }, 'x');
  });
  assert.equal(lines.length, 4);
  for (const line of lines) assert.doesNotMatch(line, new RegExp(canary));
});
