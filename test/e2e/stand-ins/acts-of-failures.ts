import { setTimeout as sleep } from 'node:timers/promises';

import { waitFor } from '../../world/servers/wait-for.ts';
import type { HookAnswer } from '../../world/metacontroller/trial-hook.ts';
import { part } from '../../world/metacontroller/trial-kinds.ts';
import type { Act, Scene } from './act.ts';

const done: HookAnswer = { body: { status: { phase: 'Done' } } };

/** The hook answers so a number of times before it answers well. */
const fails = (name: string, failure: HookAnswer, times = 2): Act => ({
  name,
  async run(scene) {
    scene.answer = () => (scene.syncs > times ? done : failure);
    await scene.create();
    await scene.rest();
    return undefined;
  },
});

/** Milliseconds from the answer to each sync until the next one came. */
const gaps = ({ requests }: Scene, answeredAt: readonly number[]): number[] => {
  const syncs = requests.filter(({ request }) => request.hook === 'sync');
  return syncs.slice(1).map(({ at }, index) => at - (answeredAt[index] ?? at));
};

const turnedAway = (name: string, headers: Record<string, string>): Act => ({
  name,
  async run(scene) {
    const answeredAt: number[] = [];
    scene.answer = () => {
      answeredAt.push(Date.now());
      return scene.syncs > 3 ? done : { status: 429, headers, body: 'busy' };
    };
    await scene.create();
    await scene.called(4);
    await scene.rest();
    // The waits before it are cut short by the event of the finalizer.
    return { waitSeconds: Math.floor((gaps(scene, answeredAt)[2] ?? 0) / 1_000) };
  },
});

/** Answers that are none. */
export const actsOfFailures: readonly Act[] = [
  fails('answers-500', { status: 500, body: 'no luck' }),
  fails('answers-202', { status: 202, body: done.body }),
  fails('answers-no-json', { body: 'this is no JSON' }),
  fails('answers-an-unknown-field', { body: { status: {}, mood: 'fine' } }),
  fails('answers-a-list', { body: [] }),
  fails('answers-a-status-of-text', { body: { status: 'Done' } }),
  fails('answers-a-child-without-kind', { body: { children: [{ metadata: { name: 'x' } }] } }),
  fails('answers-a-child-of-unknown-kind', {
    body: { children: [{ apiVersion: 'trial.example.org/v1', kind: 'Nothing', metadata: { name: 'x' } }] },
  }),
  turnedAway('answers-429-for-a-second', { 'retry-after': '1' }),
  turnedAway('answers-429-for-half-a-second', { 'retry-after': '0.5' }),
  turnedAway('answers-429-without-a-time', {}),
  {
    name: 'back-off',
    async run(scene) {
      const answeredAt: number[] = [];
      scene.answer = () => {
        answeredAt.push(Date.now());
        return scene.syncs > 9 ? done : { status: 503, body: 'no luck' };
      };
      await scene.create();
      await scene.called(10);
      await scene.rest();
      // The longest wait: an event can cut one of the others short. How often 5 ms were doubled, rounded down:
      const longest = Math.max(...gaps(scene, answeredAt).slice(0, 9));
      return { doublings: Math.floor(Math.log2(longest / 5)) };
    },
  },
  {
    name: 'customize-fails',
    async run(scene) {
      let calls = 0;
      scene.related = () => ((calls += 1) > 2 ? {} : { status: 500, body: 'no luck' });
      scene.answer = () => done;
      await scene.create();
      await scene.called(2);
      await scene.rest();
      return undefined;
    },
  },
  {
    name: 'answers-too-late',
    async run(scene) {
      scene.stage.hook.busiest = 0;
      scene.answer = async () => {
        if (scene.syncs === 1) await sleep(3_000);
        return done;
      };
      await scene.create();
      await scene.called(2);
      await scene.rest();
      const [first, second] = scene.requests.filter(({ request }) => request.hook === 'sync');
      // Of the timeout the way to the hook is gone when the first call is noted, so that less than all of it may be left.
      const after = (second?.at ?? 0) - (first?.at ?? 0);
      return { secondAfterSeconds: Math.floor((after + 200) / 1_000), atOnce: scene.stage.hook.busiest };
    },
  },
];

/** Ends the real Metacontroller, so nothing can come after it. */
export const crash: Act = {
  name: 'answers-a-null-child',
  async run(scene) {
    scene.answer = () => ({ body: { children: [part('x'), null] } });
    await scene.create();
    await scene.called(1);
    const untilCrashed = waitFor('the crash', () => scene.stage.crashed(), { timeoutMs: 20_000 });
    return { crashed: await untilCrashed.catch(() => false) };
  },
};
