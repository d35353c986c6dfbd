import { pool, pools } from '../../world/metacontroller/trial-kinds.ts';
import type { Act } from './act.ts';

const poolRule = (name: string) => ({
  body: { relatedResources: [{ apiVersion: 'trial.example.org/v1', resource: 'pools', names: [name] }] },
});

/** Parents, their status and what they are related to. */
export const actsOfSyncs: readonly [Act, ...Act[]] = [
  {
    name: 'related-objects',
    async run(scene) {
      const name = 'related-objects.pool';
      scene.related = () => poolRule(name);
      await scene.create();
      await scene.rest();
      await scene.kube.create(pools, pool(name));
      await scene.rest();
      await scene.kube.patch(pools, name, undefined, { status: { ready: true } }, 'status');
      await scene.rest();
      await scene.kube.delete(pools, name);
      await scene.rest();
      return undefined;
    },
  },
  {
    name: 'empty-answers',
    async run(scene) {
      await scene.create({ colour: 'red' });
      await scene.rest();
      return undefined;
    },
  },
  {
    name: 'status-in-steps',
    async run(scene) {
      const phases = ['New', 'Busy', 'Done'];
      scene.answer = ({ body }) => {
        const next = phases.indexOf(String(body.parent.status?.['phase'])) + 1;
        return { body: { status: { phase: phases[Math.min(next, 2)], list: [], map: {} } } };
      };
      await scene.create();
      await scene.rest();
      return undefined;
    },
  },
  {
    name: 'status-left-out',
    async run(scene) {
      scene.answer = ({ body }) =>
        body.parent.spec?.['x'] === 1 ? {} : { body: { status: { phase: 'Done' } } };
      await scene.create();
      await scene.rest();
      await scene.change({ spec: { x: 1 } });
      await scene.rest();
      return undefined;
    },
  },
  {
    name: 'null-as-an-answer',
    async run(scene) {
      scene.answer = () => ({ body: 'null' });
      await scene.create();
      await scene.rest();
      return undefined;
    },
  },
  {
    name: 'parent-changed',
    async run(scene) {
      scene.related = () => poolRule('nowhere');
      scene.answer = () => ({ body: { status: { phase: 'Done' } } });
      await scene.create({ colour: 'red' });
      await scene.rest();
      await scene.change({ metadata: { labels: { kept: 'yes' } } });
      await scene.rest();
      await scene.change({ metadata: { annotations: { touched: 'yes' } } });
      await scene.rest();
      await scene.change({ spec: { colour: 'blue' } });
      await scene.rest();
      return undefined;
    },
  },
  {
    name: 'resync-after-seconds',
    async run(scene) {
      scene.answer = () => ({ body: { status: { phase: 'Done' }, ...(scene.syncs < 5 ? again : {}) } });
      await scene.create();
      await scene.called(5);
      await scene.rest();
      const last = scene.requests.slice(-2).map(({ at }) => at);
      return { lastGapSeconds: Math.floor(((last[1] ?? 0) - (last[0] ?? 0)) / 1_000) };
    },
  },
];

const again = { resyncAfterSeconds: 1.1 };
