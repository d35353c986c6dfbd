import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';

import { parseAllDocuments } from 'yaml';
import { z } from 'zod';

import { readConfig } from '../../src/config/read-config.ts';
import { closingSeconds } from '../../src/config/time-variables.ts';
import { files } from './example.ts';
import { issueFiles } from './issued-files.ts';

/* The manifests of a hand install: what the process would be started with, and who calls it where. */

const deploymentShape = z.object({
  kind: z.literal('Deployment'),
  spec: z.object({
    template: z.object({
      spec: z.object({
        terminationGracePeriodSeconds: z.number(),
        containers: z.tuple([
          z.object({
            env: z.array(z.object({ name: z.string(), value: z.string().optional() })),
            ports: z.array(z.object({ name: z.string(), containerPort: z.number() })),
            volumeMounts: z.array(z.object({ mountPath: z.string() })),
          }),
        ]),
      }),
    }),
  }),
});

const serviceShape = z.object({
  kind: z.literal('Service'),
  metadata: z.object({ name: z.string(), namespace: z.string() }),
  spec: z.object({
    ports: z.array(z.object({ name: z.string(), port: z.number(), targetPort: z.string() })),
  }),
});

const controllerShape = z.object({
  kind: z.literal('CompositeController'),
  spec: z.object({
    hooks: z.record(z.string(), z.object({ webhook: z.object({ url: z.string() }) })),
  }),
});

/** The first object of this shape in a file with several. */
async function objectIn<T>(file: string, shape: z.ZodType<T>): Promise<T> {
  const text = await readFile(new URL(`../../${file}`, import.meta.url), 'utf8');
  const [found] = parseAllDocuments(text).flatMap((document) => shape.safeParse(document.toJS()).data ?? []);
  assert.ok(found, `${file} holds no such object`);
  return found;
}

const podOf = async () =>
  (await objectIn('examples/install/operator.yaml', deploymentShape)).spec.template.spec;

/** What the kubelet would mount at a path, judged by its name. */
const contentOf = (path: string): string | undefined => {
  if (path.endsWith('ca.crt')) return files['/api/ca.crt'];
  if (path.endsWith('token')) return files['/api/token'];
  return files[`/tls/${path.split('/').at(-1) ?? ''}`];
};

test('the Deployment of a hand install has a whole configuration, whose files are all mounted', async () => {
  await issueFiles();
  const [{ env, ports, volumeMounts }] = (await podOf()).containers;
  const given = Object.fromEntries(
    env.map(({ name, value }) => [name, value ?? 'postgresql-tenant-operator']),
  );
  const read: string[] = [];
  const config = readConfig(given, (path) => {
    read.push(path);
    const mounted = volumeMounts.some(({ mountPath }) => path.startsWith(`${mountPath}/`));
    const text = mounted ? contentOf(path) : undefined;
    if (text === undefined) throw new Error(`ENOENT ${path}`);
    return text;
  });
  assert.equal(config.openbao.auth.kind, 'kubernetes');
  assert.ok(config.hook.tls !== undefined);
  assert.ok(read.length >= 7);
  assert.deepEqual(
    ports.map(({ name, containerPort }) => [name, containerPort]),
    [
      ['hook', config.hook.port],
      ['metrics', config.metrics.port],
    ],
  );
  const { terminationGracePeriodSeconds } = await podOf();
  const longestMs = config.drainMs + config.deadlineMs + closingSeconds * 1_000;
  assert.ok(terminationGracePeriodSeconds * 1_000 > longestMs);
});

test('Metacontroller calls the Service of a hand install, over TLS', async () => {
  const { metadata, spec } = await objectIn('examples/install/operator.yaml', serviceShape);
  const [hook] = spec.ports;
  const origin = `https://${metadata.name}.${metadata.namespace}.svc:${hook?.port}`;
  for (const kind of ['instance', 'tenant']) {
    const { hooks } = (await objectIn(`metacontroller/postgresql${kind}-controller.yaml`, controllerShape))
      .spec;
    for (const { webhook } of Object.values(hooks)) assert.equal(new URL(webhook.url).origin, origin);
  }
});
