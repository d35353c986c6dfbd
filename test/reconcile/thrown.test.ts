import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Trouble } from '../../src/errors.ts';
import { onceAt } from './gate.ts';
import { post, requestOf } from './metacontroller.ts';
import { leavingWorld, newWorld, pointsOf } from './points.ts';

const directions = { up: () => Promise.resolve(newWorld()), down: () => leavingWorld() };

for (const [direction, begin] of Object.entries(directions)) {
  test(`on the way ${direction}, Busy and bugs go on to the HTTP layer from every call, as they are`, async () => {
    for (const error of [
      new Trouble('Busy', 'held', { retryAfterSeconds: 3 }),
      new Error('bug'),
      new TypeError('bug'),
    ]) {
      for (const point of await pointsOf(await begin())) {
        for (const [index, call] of point.calls.entries()) {
          const world = point.world();
          world.gate.faults = onceAt(index, { kind: 'fails', error });
          await assert.rejects(
            post(world, requestOf(world)),
            (thrown) => thrown === error,
            `${point.name} ${call}`,
          );
        }
      }
    }
  });
}

test('a step that ends in a bug is logged as one, with no word of its message', async () => {
  const world = newWorld();
  const points = await pointsOf(world);
  const point = points.find(({ turn }) => turn.writes.includes('tenants.createRole'));
  assert.ok(point !== undefined);
  const failing = point.world();
  const index = point.calls.indexOf('tenants.createRole');
  failing.gate.faults = onceAt(index, { kind: 'fails', error: new Error('secret') });
  await assert.rejects(post(failing, requestOf(failing)));
  assert.deepEqual(
    failing.acts.map(({ step, outcome }) => [step, outcome]),
    [['CreateRole', 'Bug']],
  );
  assert.ok(!JSON.stringify(failing.acts).includes('secret'));
});

test("a request that finds no end is the deadline's business: it holds nothing and writes nothing", async () => {
  const world = newWorld();
  world.gate.faults = onceAt(0, { kind: 'hangs' });
  const late = Symbol('late');
  const outcome = await Promise.race([
    post(world, requestOf(world)),
    new Promise((resolve) => setTimeout(resolve, 30, late)),
  ]);
  assert.equal(outcome, late);
  assert.deepEqual(world.writesSince(0), []);
});
