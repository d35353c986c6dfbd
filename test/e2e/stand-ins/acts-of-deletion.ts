import { eventually } from '../../world/metacontroller/eventually.ts';
import { part, parts } from '../../world/metacontroller/trial-kinds.ts';
import type { Act } from './act.ts';

const kind = 'Part.trial.example.org/v1';

/** How a parent goes. */
export const actsOfDeletion: readonly Act[] = [
  {
    name: 'deleted-children-first',
    async run(scene) {
      const child = part(`${scene.name}.one`, { size: 1 });
      scene.answer = ({ body }) => {
        if (!body.finalizing) return { body: { status: { phase: 'Done' }, children: [child] } };
        const { metadata, status } = body.parent;
        const gone = Object.keys(body.children[kind] ?? {}).length === 0;
        // Which of the two comes first is up to chance.
        const finalized = gone && status?.['observedGeneration'] === metadata.generation;
        return { body: { status: { phase: 'Done' }, children: [], finalized } };
      };
      await scene.create();
      await scene.rest();
      await scene.delete();
      await scene.gone();
      return undefined;
    },
  },
  {
    name: 'deleted-in-steps',
    async run(scene) {
      const phases = ['Done', 'Dropping', 'Dropped'];
      scene.answer = ({ body }) => {
        if (!body.finalizing) return { body: { status: { phase: 'Done' } } };
        const phase = String(body.parent.status?.['phase']);
        if (phase === 'Dropped') return { body: { status: { phase }, finalized: true } };
        return { body: { status: { phase: phases[phases.indexOf(phase) + 1] }, finalized: false } };
      };
      await scene.create();
      await scene.rest();
      await scene.delete();
      await scene.gone();
      return undefined;
    },
  },
  {
    name: 'deleted-and-held-by-somebody-else',
    async run(scene) {
      scene.answer = ({ body }) => ({ body: { finalized: body.finalizing } });
      await scene.create({}, { finalizers: ['trial.example.org/hold'] });
      await scene.rest();
      await scene.delete();
      await scene.rest();
      await scene.change({ metadata: { annotations: { touched: 'yes' } } });
      await scene.rest();
      return undefined;
    },
  },
  {
    name: 'deleted-and-a-child-left',
    async run(scene) {
      const child = part(`${scene.name}.one`, { size: 1 });
      scene.answer = ({ body }) => ({ body: { children: [child], finalized: body.finalizing } });
      await scene.create();
      await scene.rest();
      await scene.delete();
      await scene.gone();
      // The garbage collector's part, at its own pace.
      await eventually(async () => {
        if ((await scene.kube.get(parts, `${scene.name}.one`, 'team')) !== undefined)
          throw new Error('the child is still there');
      }, 20_000);
      return undefined;
    },
  },
];
