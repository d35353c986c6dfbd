import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { copyBuildContext, rulesOf } from './build-context.ts';
import { buildImage } from './build-image.ts';
import { parseDockerfile } from './parse-dockerfile.ts';

const node = `node:${process.version.slice(1)}-bookworm-slim`;
const refused = {
  'an instruction that is not performed': 'FROM x\nVOLUME /data',
  'a download': 'FROM x\nADD https://example.com/a /a',
  'a mount': 'FROM x\nRUN --mount=type=cache,target=/root npm ci',
  'a command in exec form': 'FROM x\nRUN ["npm", "ci"]',
  'a command that names an absolute path': 'FROM x\nRUN npm ci && rm -rf /tmp/x',
  'a shell around the process': 'FROM x\nENTRYPOINT node dist/main.js',
  'a shell around its arguments': 'FROM x\nCMD dist/main.js',
  'a user by name': 'FROM x\nUSER nonroot',
  'a user without a group': 'FROM x\nUSER 65532',
  'an owner of copied files': 'FROM x\nCOPY --chown=1:1 a b',
  'many files into what is no folder': 'FROM x\nCOPY a b c',
  'another platform': 'FROM --platform=linux/arm64 x',
  'a directive': '# syntax=docker/dockerfile:1\nFROM x',
  'a value without =': 'FROM x\nENV NAME value',
};

for (const [what, text] of Object.entries(refused)) {
  test(`${what} in a Dockerfile is refused, because nothing here could show that it works`, () => {
    assert.throws(() => parseDockerfile(text), /^Error: Dockerfile/);
  });
}

for (const [what, rules] of Object.entries({
  'a list that lets in what it does not name': 'node_modules/\n',
  'a pattern': '*\n!src/**\n',
  'a name that comes back after one that stays out': '*\n!src\nsrc/a\n!src/a/b\n',
})) {
  test(`.dockerignore: ${what} is refused`, () => {
    assert.throws(() => rulesOf(rules), /^Error: \.dockerignore/);
  });
}

/** Builds this Dockerfile from these files, and says what is in the image. */
async function built(dockerfile: string, files: Readonly<Record<string, string>>, buildArgs = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'pgtenancy-dockerfile-'));
  try {
    const project = join(folder, 'project');
    for (const [name, text] of Object.entries({ ...files, Dockerfile: dockerfile })) {
      await mkdir(join(project, name, '..'), { recursive: true });
      await writeFile(join(project, name), text, { mode: 0o600 });
    }
    const context = join(folder, 'context');
    await copyBuildContext(project, context);
    const image = await buildImage({
      ...{ dockerfile: join(project, 'Dockerfile'), context, buildArgs, workspace: folder },
    });
    const found: Record<string, string> = {};
    for (const entry of await readdir(image.root, { withFileTypes: true, recursive: true })) {
      if (!entry.isFile() || entry.name === 'node') continue;
      const path = join(entry.parentPath, entry.name);
      const mode = ((await stat(path)).mode & 0o777).toString(8);
      found[path.slice(image.root.length)] = `${mode} ${await readFile(path, 'utf8')}`;
    }
    return { ...image, found };
  } finally {
    await rm(folder, { recursive: true });
  }
}

test('steps have the effect that an engine gives them', async () => {
  const image = await built(
    [
      'ARG BASE',
      `FROM ${node} AS build`,
      'ARG GREETING=hello',
      'WORKDIR /work',
      'COPY one two ./',
      'COPY src/ src/',
      'RUN cat one > out && \\\n    echo $GREETING >> out && node --version >> out',
      'FROM ${BASE}',
      'ENV NODE_ENV=production',
      'ARG VERSION=1',
      'LABEL a="b ${VERSION}" \\\n  c=d',
      'WORKDIR /app',
      'COPY --chmod=0444 one renamed',
      'COPY --from=build /work/ .',
      'USER 65532:65532',
      'EXPOSE 1 2',
      'ENTRYPOINT ["/nodejs/bin/node"]',
      'CMD ["a b", "c"]',
    ].join('\n'),
    {
      '.dockerignore': '*\n!one\n!two\n!src/\nsrc/out/\n',
      ...{ one: '1\n', two: '2', three: '3', 'src/a/b': 'ab', 'src/out/c': 'c' },
    },
    { BASE: 'registry.example.com/nodejs24-debian12:nonroot', VERSION: '2' },
  );
  assert.deepEqual(image.found, {
    '/app/renamed': '444 1\n',
    '/app/one': '600 1\n',
    '/app/two': '600 2',
    '/app/src/a/b': '600 ab',
    '/app/out': `644 1\nhello\n${process.version}\n`,
  });
  assert.deepEqual(image.labels, { a: 'b 2', c: 'd' });
  assert.equal(image.env['NODE_ENV'], 'production');
  assert.equal(image.env['GREETING'], undefined);
  assert.deepEqual(image.user, { uid: 65532, gid: 65532 });
  assert.deepEqual(image.ports, [1, 2]);
  assert.deepEqual(image.entrypoint, ['/nodejs/bin/node']);
  assert.deepEqual(image.cmd, ['a b', 'c']);
  assert.equal(image.workingDir, '/app');
});

const empty = { '.dockerignore': '*\n' };

for (const [what, dockerfile, complaint] of [
  ['a file that .dockerignore keeps out', `FROM ${node}\nCOPY three ./`, /ENOENT/],
  ['a step that fails', `FROM ${node}\nRUN echo why; exit 3`, /ended with 3:\nwhy/],
  ['another Node than the one that is tested', 'FROM node:20.1.0-bookworm-slim', /another Node/],
  ['a base image that nothing stands for', 'FROM alpine:3', /alpine:3/],
  ['a stage that comes later', `FROM ${node}\nCOPY --from=later /a /b`, /no stage later/],
  ['a build argument without a value', 'ARG BASE\nFROM ${BASE}', /BASE is not given/],
  ['a name without a value', `FROM ${node}\nLABEL a=$MISSING`, /\$MISSING has no value/],
] as const) {
  test(`a build with ${what} fails and says so`, async () => {
    await assert.rejects(built(dockerfile, { ...empty, three: '3' }), complaint);
  });
}
