import assert from 'node:assert/strict';
import { test } from 'node:test';

import { post, requestOf, settle, turn } from './metacontroller.ts';
import { leavingWorld, newWorld, pointsOf, remainsOf, secretLogsIn } from './points.ts';

const directions = { up: () => Promise.resolve(newWorld()), down: () => leavingWorld() };

for (const [direction, begin] of Object.entries(directions)) {
  const run = async () => {
    const from = await begin();
    const smooth = from.fork();
    await settle(smooth);
    return { points: await pointsOf(from), end: remainsOf(smooth) };
  };

  test(`on the way ${direction}, an answer that is lost after any call changes nothing about the end`, async () => {
    const { points, end } = await run();
    for (const point of points) {
      const world = point.world();
      await turn(world, true);
      await settle(world);
      assert.deepEqual(remainsOf(world), end, point.name);
      assert.equal(world.state.openbao.passwords.length, 1, point.name);
      assert.equal(secretLogsIn(world), direction === 'up', point.name);
    }
  });

  test(`on the way ${direction}, a replica that dies after any call is taken over by one that remembers nothing`, async () => {
    const { points, end } = await run();
    for (const point of points) {
      const world = point.world();
      await turn(world, true);
      const other = world.restarted();
      await settle(other);
      assert.deepEqual(remainsOf(other), end, point.name);
      assert.equal(other.state.openbao.passwords.length, 1, point.name);
    }
  });

  test(`on the way ${direction}, two replicas that get the same request at once make one change`, async () => {
    const { points, end } = await run();
    for (const point of points) {
      const world = point.world();
      const other = world.restarted();
      const request = requestOf(world);
      await Promise.all([post(world, request), post(other, request)]);
      await settle(world);
      assert.deepEqual(remainsOf(world), end, point.name);
      assert.equal(world.state.openbao.passwords.length, 1, point.name);
      assert.ok(world.acts.every(({ outcome }) => ['ok', 'StaleDecision', 'OpenBaoError'].includes(outcome)));
    }
  });

  test(`on the way ${direction}, an old request that arrives late changes nothing`, async () => {
    const { points, end } = await run();
    const world = await begin();
    const requests = points.map((point) => requestOf(point.world()));
    for (const request of requests.slice(0, -1)) {
      await turn(world);
      if (Object.keys(world.state.kubernetes.tenants).length === 0) break;
      await post(world, request);
    }
    await settle(world);
    assert.deepEqual(remainsOf(world), end);
    assert.equal(world.state.openbao.passwords.length, 1);
  });
}
