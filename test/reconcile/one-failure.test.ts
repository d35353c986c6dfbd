import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Reason } from '../../src/domain/reasons.ts';
import { Trouble } from '../../src/errors.ts';
import { isWrite, onceAt, type Fault } from './gate.ts';
import { settle } from './metacontroller.ts';
import type { ModelWorld } from './model-world.ts';
import { leavingWorld, newWorld, pointsOf, remainsOf, secretLogsIn, type Point } from './points.ts';

const fails = (reason: Reason): Fault => ({ kind: 'fails', error: new Trouble(reason, `cannot: ${reason}`) });

const busy: Fault = {
  kind: 'fails',
  error: new Trouble('Busy', 'held elsewhere', { retryAfterSeconds: 1 }),
};

const lost = (reason: Reason): Fault => ({
  kind: 'answerLost',
  error: new Trouble(reason, 'the answer was lost', { outcomeUnknown: true }),
});

const bug: Fault = { kind: 'fails', error: new Error('bug') };
const bugAfterwards: Fault = { kind: 'answerLost', error: new Error('bug') };

/** One of each kind that such a call can throw: mends by itself, stalls, is too old, busy, a bug; and with writes a lost answer. */
function faultsOf(call: string): readonly Fault[] {
  const afterwards = (reason: Reason) => (isWrite(call) ? [lost(reason), bugAfterwards] : []);
  if (call.startsWith('kubernetes.'))
    return [fails('KubernetesUnreachable'), fails('KubernetesForbidden'), busy, bug];
  if (call.startsWith('credentials.')) {
    const kinds = [fails('OpenBaoUnreachable'), fails('OpenBaoForbidden'), busy, bug];
    return [...kinds, ...afterwards('OpenBaoUnreachable')];
  }
  const kinds = [fails('InstanceUnreachable'), fails('PermissionDenied'), fails('StaleDecision'), busy, bug];
  return [...kinds, ...afterwards('InstanceUnreachable')];
}

interface Case {
  readonly name: string;
  readonly world: ModelWorld;
}

function* cases(points: readonly Point[], calls: (call: string) => boolean): Generator<Case> {
  for (const point of points) {
    for (const [index, call] of point.calls.entries()) {
      if (!calls(call)) continue;
      for (const fault of faultsOf(call)) {
        const world = point.world();
        world.gate.faults = onceAt(index, fault);
        const how = fault.kind === 'hangs' ? 'hangs' : `${fault.kind} with "${fault.error.message}"`;
        yield { name: `${point.name}, call ${index} ${call} ${how}`, world };
      }
    }
  }
}

const ports = {
  'Kubernetes API': /^kubernetes\./,
  OpenBao: /^credentials\./,
  PostgreSQL: /^(observe|registry|tenants)\./,
};

/** No step twice, none left out, and none that does not belong to this way. */
function checkWrites(world: ModelWorld, smooth: readonly string[], name: string): void {
  const order = world.gate.calls.filter(isWrite).map((write) => smooth.indexOf(write));
  assert.ok(!order.includes(-1), `${name}: ${world.gate.calls.filter(isWrite).join(', ')}`);
  assert.deepEqual(
    order,
    order.toSorted((a, b) => a - b),
    name,
  );
}

const directions = { up: () => Promise.resolve(newWorld()), down: () => leavingWorld() };

for (const [direction, begin] of Object.entries(directions)) {
  for (const [port, calls] of Object.entries(ports)) {
    test(`on the way ${direction}, any one call of ${port} may fail in any way, and the end is the same`, async () => {
      const from = await begin();
      const smooth = from.fork();
      await settle(smooth);
      const writes = smooth.gate.calls.filter(isWrite);
      const end = remainsOf(smooth);
      let tried = 0;
      for (const { name, world } of cases(await pointsOf(from), (call) => calls.test(call))) {
        await settle(world).catch((error: unknown) => assert.fail(`${name}: ${String(error)}`));
        checkWrites(world, writes, name);
        assert.equal(world.state.openbao.passwords.length, 1, name);
        assert.equal(secretLogsIn(world), direction === 'up', name);
        assert.deepEqual(remainsOf(world), end, name);
        tried += 1;
      }
      assert.ok(tried > 30, `only ${tried} cases`);
    });
  }
}
