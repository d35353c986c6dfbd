import { z } from 'zod';

import type { KubeObject } from '../../world/kubernetes/client.ts';
import { events } from '../../world/kubernetes/resources.ts';
import type { ApplyStrategy } from '../../world/metacontroller/server-side-apply.ts';
import type { HookRequest } from '../../world/metacontroller/trial-hook.ts';
import { parts } from '../../world/metacontroller/trial-kinds.ts';
import { type Act, Scene } from './act.ts';
import { actsOfChildren } from './acts-of-children.ts';
import { actsOfDeletion } from './acts-of-deletion.ts';
import { actsOfFailures, crash } from './acts-of-failures.ts';
import { actsOfSyncs } from './acts-of-syncs.ts';
import { type Stage, startStage } from './metacontroller-stage.ts';
import { asChanges, asJson, type Recording, withoutRepeats } from './recording.ts';
import { Symbols } from './symbols.ts';
import { writesAbout } from './writes.ts';

// A change of a Pool lets Metacontroller ask about each Thing that it has not asked about yet: nothing else happens then.
const [alone, ...otherActsOfSyncs] = actsOfSyncs;

/** One after the other in each row; the rows at the same time. */
const rows = [otherActsOfSyncs, actsOfChildren, actsOfDeletion, actsOfFailures].flatMap((acts) => [
  acts.filter((_, index) => index % 2 === 0),
  acts.filter((_, index) => index % 2 === 1),
]);

export const actNames: readonly string[] = [
  'every-call',
  ...[alone, ...rows.flat(), crash].map(({ name }) => name),
];

/** Plays every act before a Metacontroller and writes down what it did. `binary` undefined: the stand-in. */
export async function recordMetacontroller(
  binary: string | undefined,
  strategy: ApplyStrategy,
): Promise<Recording> {
  const stage = await startStage(binary, strategy);
  try {
    const recorded = new Map<string, unknown>();
    const playAll = async (row: readonly Act[]): Promise<void> => {
      for (const act of row) recorded.set(act.name, asJson(await play(stage, act)));
    };
    await playAll([alone]);
    await Promise.all(rows.map(playAll));
    await playAll([crash]);
    recorded.set('every-call', asJson(everyCall(stage)));
    return Object.fromEntries(actNames.map((name) => [name, recorded.get(name)]));
  } finally {
    await stage.close();
  }
}

async function play(stage: Stage, act: Act): Promise<unknown> {
  const scene = new Scene(stage, act.name);
  stage.scenes.set(act.name, scene);
  const facts = await act.run(scene);
  const symbols = new Symbols();
  const requests = scene.requests.map(({ request }) => request);
  symbols.apply(requests.map(({ body: { parent, children, related } }) => ({ parent, children, related })));
  const calls = storyOf(requests, symbols);
  const objects = symbols.apply(await objectsOf(scene));
  const told = symbols.apply(await eventsAbout(scene));
  const writes = writesAbout(stage, act.name);
  if (act !== crash) await scene.end();
  return { facts, calls, objects, writes, events: told };
}

/**
 * The values that each part of the requests had, one after the other. Which part changed first is left out where it is up
 * to chance: the event of a status and that of a child race each other.
 */
function storyOf(requests: readonly HookRequest[], symbols: Symbols): unknown {
  const story = (part: (request: HookRequest) => unknown): unknown[] =>
    asChanges(withoutRepeats(requests.map(part).filter((value) => value !== undefined)));
  return {
    hooks: story(({ hook }) => hook),
    finalizing: story(({ body }) => body.finalizing),
    parent: story(({ body: { parent } }) => ({ apiVersion: parent.apiVersion, kind: parent.kind })),
    metadata: story(({ body }) => symbols.apply(body.parent.metadata)),
    spec: story(({ body }) => symbols.apply(body.parent.spec)),
    status: story(({ body }) => symbols.apply(body.parent.status ?? 'none')),
    children: story(({ body }) => symbols.apply(body.children)),
    related: story(({ body }) => symbols.apply(body.related)),
  };
}

async function objectsOf(scene: Scene): Promise<KubeObject[]> {
  const { items } = await scene.kube.list(parts, 'team');
  const children = items.filter(({ metadata }) => metadata.name.startsWith(`${scene.name}.`));
  const parent = await scene.thing();
  return [...(parent === undefined ? [] : [parent]), ...children];
}

const event = z.object({
  type: z.string(),
  reason: z.string(),
  message: z.string(),
  count: z.number().nullish(),
  source: z.looseObject({ component: z.string().optional() }),
  involvedObject: z.looseObject({ kind: z.string(), name: z.string() }),
});

async function eventsAbout(scene: Scene): Promise<unknown[]> {
  const { items } = await scene.kube.list(events, 'team');
  return items
    .map((item) => event.parse(item))
    .filter(({ involvedObject }) => involvedObject.name === scene.name)
    .map(({ type, reason, message, count, source, involvedObject }) => ({
      ...{ type, reason, count, message: inNobodysWords(message) },
      ...{ component: source.component, about: involvedObject.kind },
    }))
    .sort((one, other) => (one.message < other.message ? -1 : 1));
}

/** Without what only Go's decoder and HTTP client would say just so. */
const inNobodysWords = (message: string): string =>
  message
    .replace(/(can't unmarshal webhookResponse \(version: v2, type: \w+\)): .*/s, '$1: <why>')
    .replace(/(http error: Post "\S+"): (?:.*Client\.Timeout.*|context deadline exceeded)/, '$1: <too late>');

/** What all calls have in common. */
function everyCall({ hook }: Stage): unknown {
  const symbols = new Symbols();
  const distinct = (values: readonly unknown[]): unknown[] =>
    [...new Set(values.map((value) => JSON.stringify(value)))]
      .sort()
      .map((text) => JSON.parse(text) as unknown);
  return {
    methods: distinct(hook.requests.map(({ method }) => method)),
    headers: distinct(hook.requests.map(({ headers }) => headersOf(headers))),
    fields: distinct(hook.requests.map(({ hook: name, body }) => [name, ...Object.keys(body).sort()])),
    controllers: distinct(hook.requests.map(({ body }) => symbols.apply(body.controller))),
  };
}

const headersOf = (headers: HookRequest['headers']): Record<string, unknown> => {
  // Node names what HTTP/1.1 does anyway: `connection: keep-alive`.
  const apart = ['host', 'connection', 'content-length'];
  const others = Object.entries(headers).filter(([name]) => !apart.includes(name));
  return { ...Object.fromEntries(others), 'content-length': typeof headers['content-length'] };
};
