import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createLogger } from '../../src/log/logger.ts';
import { ReachabilityLog } from '../../src/log/reachability-log.ts';
import { keptLog } from './kept-log.ts';

const main = { backend: 'PostgreSQL', instance: 'main' } as const;
const ok = { outcome: 'ok', message: '' } as const;
const gone = { outcome: 'InstanceUnreachable', message: 'cannot connect' } as const;

function trial() {
  const kept = keptLog();
  let now = 0;
  const log = new ReachabilityLog(createLogger('info', kept), () => now);
  const said = () => kept.lines().map(({ msg }) => msg);
  return { log, lines: kept.lines, said, pass: (milliseconds: number) => (now += milliseconds) };
}

test('a system that answers from the beginning is worth no line', () => {
  const { log, said } = trial();
  for (let call = 0; call < 100; call += 1) log.called('uid', main, ok);
  assert.deepEqual(said(), []);
});

test('one line when it goes and one when it is back, none for the calls in between', () => {
  const { log, lines, pass } = trial();
  log.called('uid', main, ok);
  for (let call = 0; call < 100; call += 1) {
    log.called('uid', main, gone);
    pass(1_000);
  }
  for (let call = 0; call < 100; call += 1) {
    log.called('uid', main, ok);
    pass(1_000);
  }
  assert.deepEqual(
    lines().map(({ time, ...line }) => [typeof time, line]),
    [
      [
        'string',
        { level: 'warn', ...main, reason: gone.outcome, detail: gone.message, msg: 'backend unreachable' },
      ],
      ['string', { level: 'info', ...main, milliseconds: 100_000, msg: 'backend reachable again' }],
    ],
  );
});

test('one that refuses logins while its open sessions go on is not said to be back', () => {
  const { log, said, pass } = trial();
  for (let second = 0; second < 600; second += 1) {
    log.called('uid', main, second % 20 === 0 ? gone : ok);
    pass(1_000);
  }
  assert.deepEqual(said(), ['backend unreachable']);
});

test('it is back after 30 s without a failure, and was away until the first answer of these', () => {
  const { log, lines, said, pass } = trial();
  log.called('uid', main, gone);
  pass(9_000);
  log.called('uid', main, ok);
  pass(20_999);
  log.called('uid', main, ok);
  assert.deepEqual(said(), ['backend unreachable']);
  pass(1);
  log.called('uid', main, ok);
  assert.deepEqual(said(), ['backend unreachable', 'backend reachable again']);
  assert.equal(lines().at(-1)?.['milliseconds'], 9_000);
});

test('one that goes within 10 s after it was back is told of after that time, if it is still gone', () => {
  const { log, said, pass } = trial();
  log.called('uid', main, gone);
  pass(30_000);
  log.called('uid', main, ok);
  pass(9_999);
  log.called('uid', main, gone);
  assert.equal(said().length, 2);
  pass(1);
  log.called('uid', main, gone);
  assert.deepEqual(said().slice(2), ['backend unreachable']);
});

test('trouble that is an answer, or that says nothing about the system, changes nothing', () => {
  const { log, said, pass } = trial();
  for (const outcome of ['Busy', 'StaleDecision', 'PermissionDenied', 'Bug'] as const) {
    log.called('uid', main, { outcome, message: 'x' });
  }
  assert.deepEqual(said(), []);
  log.called('uid', main, gone);
  pass(60_000);
  log.called('uid', main, { outcome: 'Busy', message: 'no slot' });
  assert.deepEqual(said(), ['backend unreachable'], 'no slot is no sign of life');
});

test('each Instance is told of by itself, and a forgotten one begins anew', () => {
  const { log, said } = trial();
  log.called('one', main, gone);
  log.called('other', { backend: 'PostgreSQL', instance: 'other' }, gone);
  assert.equal(said().length, 2);
  log.forget('one');
  log.called('one', main, ok);
  assert.equal(said().length, 2, 'nobody was told that it is gone');
  log.called('one', main, gone);
  assert.equal(said().length, 3);
});
