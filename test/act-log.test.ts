import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { test } from 'node:test';

import { actLog } from '../src/act-log.ts';
import { createLogger } from '../src/logger.ts';
import type { Act } from '../src/reconcile/context.ts';

const trialLog = () => {
  const lines: Record<string, unknown>[] = [];
  const counted: Act[] = [];
  const kept = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      lines.push(JSON.parse(String(chunk)) as Record<string, unknown>);
      done();
    },
  });
  const log = actLog(createLogger('trace', kept), { acted: (act) => void counted.push(act) });
  return { log, lines, counted };
};

for (const [outcome, level] of [
  ['ok', 'info'],
  ['Busy', 'info'],
  ['StaleDecision', 'info'],
  ['DatabaseBusy', 'warn'],
  ['OpenBaoUnreachable', 'warn'],
] as const) {
  test(`an act that ended with ${outcome} is counted, and one line of level ${level}`, () => {
    const { log, lines, counted } = trialLog();
    const act = { subject: 'shop/orders', step: 'CreateRole', outcome, milliseconds: 3 };
    log.acted(act);
    const [{ time, ...line } = {}, ...more] = lines;
    assert.equal(typeof time, 'string');
    assert.deepEqual([line, more], [{ level, ...act, msg: 'step taken' }, []]);
    assert.deepEqual(counted, [act]);
  });
}

test('what was let go unfinished is a warning', () => {
  const { log, lines } = trialLog();
  log.letGo('shop/orders', 'the record stays');
  const [{ level, subject, detail } = {}] = lines;
  assert.deepEqual([level, subject, detail], ['warn', 'shop/orders', 'the record stays']);
});
