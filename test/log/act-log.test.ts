import assert from 'node:assert/strict';
import { test } from 'node:test';

import { actLog } from '../../src/log/act-log.ts';
import { createLogger } from '../../src/log/logger.ts';
import type { Act } from '../../src/reconcile/context.ts';
import { keptLog } from './kept-log.ts';

const trialLog = () => {
  const kept = keptLog();
  const counted: unknown[] = [];
  const metrics = { acted: (act: unknown) => void counted.push(act) };
  return { log: actLog(createLogger('trace', kept), metrics, 'id-1'), lines: kept.lines, counted };
};

const subject = { subject: 'shop/orders', uid: 'uid-orders', instance: 'main' };
const act: Act = {
  ...subject,
  phase: 'CredentialCreated',
  step: 'CreateRole',
  outcome: 'ok',
  milliseconds: 3,
};

for (const [outcome, level] of [
  ['ok', 'info'],
  ['Busy', 'info'],
  ['StaleDecision', 'info'],
  ['DatabaseBusy', 'warn'],
  ['OpenBaoUnreachable', 'warn'],
  ['Bug', 'warn'],
] as const) {
  test(`an act that ended with ${outcome} is counted, and one line of level ${level} with the id of its request`, () => {
    const { log, lines, counted } = trialLog();
    log.acted({ ...act, outcome });
    const [{ time, ...line } = {}, ...more] = lines();
    assert.equal(typeof time, 'string');
    assert.deepEqual([line, more], [{ level, ...act, outcome, requestId: 'id-1', msg: 'step taken' }, []]);
    assert.deepEqual(counted, [{ ...act, outcome }]);
  });
}

test('what was let go unfinished is a warning with the id of its request', () => {
  const { log, lines } = trialLog();
  log.letGo(subject, 'the record stays');
  const [{ time, ...line } = {}] = lines();
  assert.equal(typeof time, 'string');
  assert.deepEqual(line, {
    level: 'warn',
    ...subject,
    detail: 'the record stays',
    requestId: 'id-1',
    msg: 'let go unfinished',
  });
});
