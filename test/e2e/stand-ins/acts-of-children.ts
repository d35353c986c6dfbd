import { eventually } from '../../world/metacontroller/eventually.ts';
import { part, parts } from '../../world/metacontroller/trial-kinds.ts';
import type { Act, Scene } from './act.ts';

/** Its items get a default from the API server, as those of External Secrets do. */
const source = { key: 'a' };

const answersOne =
  (scene: Scene, spec: Record<string, unknown> = { size: 1 }) =>
  (): { body: object } => ({
    body: {
      status: { phase: 'Done' },
      children: [{ ...part(`${scene.name}.one`, spec), metadata: metadataOf(scene) }],
    },
  });

const metadataOf = ({ name }: Scene) => ({
  name: `${name}.one`,
  labels: { made: 'here' },
  annotations: { noted: 'here' },
});

const begin = async (scene: Scene, spec?: Record<string, unknown>): Promise<void> => {
  scene.answer = answersOne(scene, spec);
  await scene.create();
  await eventually(async () => {
    const child = await scene.kube.get(parts, `${scene.name}.one`, 'team');
    if (child === undefined) throw new Error(`${scene.name} has no child`);
  }, 20_000);
  await scene.rest();
};

const changeChild = async (scene: Scene, patch: object): Promise<void> => {
  await scene.kube.patch(parts, `${scene.name}.one`, 'team', patch);
  await scene.rest();
};

/** What becomes of children, by whom they are changed. */
export const actsOfChildren: readonly Act[] = [
  {
    name: 'child-created',
    async run(scene) {
      await begin(scene);
      await scene.change({ metadata: { annotations: { touched: 'yes' } } });
      await scene.rest();
      return undefined;
    },
  },
  {
    name: 'child-with-defaults',
    async run(scene) {
      await begin(scene, { size: 1, sources: [source] });
      await scene.change({ metadata: { annotations: { touched: 'yes' } } });
      await scene.rest();
      return undefined;
    },
  },
  {
    name: 'child-otherwise-desired',
    async run(scene) {
      await begin(scene, { size: 1, colour: 'red' });
      scene.answer = answersOne(scene, { size: 2 });
      await scene.change({ spec: { x: 1 } });
      await scene.rest();
      return undefined;
    },
  },
  {
    name: 'child-edited',
    async run(scene) {
      await begin(scene);
      await changeChild(scene, { spec: { size: 9, colour: 'red' } });
      return undefined;
    },
  },
  {
    name: 'child-relabelled',
    async run(scene) {
      await begin(scene);
      await changeChild(scene, { metadata: { labels: { made: 'elsewhere', other: 'too' } } });
      await changeChild(scene, { spec: { colour: 'red' } });
      return undefined;
    },
  },
  {
    name: 'child-with-status',
    async run(scene) {
      await begin(scene);
      await scene.kube.patch(parts, `${scene.name}.one`, 'team', { status: { ready: true } }, 'status');
      await scene.rest();
      return undefined;
    },
  },
  {
    name: 'child-without-our-label',
    async run(scene) {
      await begin(scene);
      await changeChild(scene, { metadata: { labels: { 'controller-uid': null } } });
      return undefined;
    },
  },
  {
    name: 'child-deleted',
    async run(scene) {
      await begin(scene);
      await scene.kube.delete(parts, `${scene.name}.one`, 'team');
      await scene.rest();
      return undefined;
    },
  },
  {
    name: 'child-no-longer-desired',
    async run(scene) {
      await begin(scene);
      scene.answer = () => ({ body: { status: { phase: 'Done' } } });
      await scene.change({ spec: { x: 1 } });
      await scene.rest();
      return undefined;
    },
  },
  {
    name: 'child-of-nobody-there-before',
    async run(scene) {
      const foreign = part(`${scene.name}.one`, { size: 7, colour: 'red' });
      await scene.kube.create(parts, { ...foreign, metadata: { ...foreign.metadata, namespace: 'team' } });
      await begin(scene);
      return undefined;
    },
  },
  {
    name: 'child-refused-by-the-api-server',
    async run(scene) {
      scene.answer = () =>
        scene.syncs > 2
          ? { body: { status: { phase: 'Done' } } }
          : { body: { status: { phase: 'Busy' }, children: [part(`${scene.name}.one`, { size: 'big' })] } };
      await scene.create();
      await scene.rest();
      return undefined;
    },
  },
];
