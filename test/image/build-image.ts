import { mkdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

import { startFrom } from './base-images.ts';
import { copyStep } from './copy-step.ts';
import { afterNpmCi } from './kept-packages.ts';
import type { Instruction } from './instruction.ts';
import { parseDockerfile } from './parse-dockerfile.ts';
import { runStep } from './run-step.ts';
import { expand, type Stage } from './stage.ts';

export interface Build {
  readonly dockerfile: string;
  /** Folder with the build context. */
  readonly context: string;
  /** As `--build-arg`. */
  readonly buildArgs: Readonly<Record<string, string>>;
  /** Where results of `npm ci` are kept; absent: nowhere. */
  readonly packages?: string;
  /** An empty folder, in which the stages are made. */
  readonly workspace: string;
}

/**
 * Performs a Dockerfile into folders, as an engine does it in layers; the last stage is the image.
 * @throws Error when a step fails or is none that the suite performs
 */
export async function buildImage(build: Build): Promise<Stage> {
  const builder = new Builder(build);
  for (const step of parseDockerfile(await readFile(build.dockerfile, 'utf8'))) await builder.perform(step);
  return builder.stage();
}

class Builder {
  readonly #build: Build;
  /** Those before the first FROM: they count in FROM lines. */
  readonly #globalArgs: Record<string, string> = {};
  readonly #named = new Map<string, Stage>();
  #count = 0;
  #current: Stage | undefined;

  constructor(build: Build) {
    this.#build = build;
  }

  stage(): Stage {
    if (this.#current === undefined) throw new Error('Dockerfile: there must be a FROM first');
    return this.#current;
  }

  async perform(step: Instruction): Promise<void> {
    switch (step.kind) {
      case 'FROM':
        return this.#from(expand(step.image, this.#globalArgs), step.stage);
      case 'ARG':
        this.#arg(step.name, step.value);
        return;
      case 'ENV':
        this.#set(this.stage().env, step.entries);
        return;
      case 'LABEL':
        this.#set(this.stage().labels, step.entries);
        return;
      case 'WORKDIR':
        this.stage().workingDir = this.#path(step.path);
        await mkdir(join(this.stage().root, this.stage().workingDir), { recursive: true });
        return;
      case 'COPY': {
        const target = step.target.endsWith('/') ? `${this.#path(step.target)}/` : this.#path(step.target);
        const from = step.from === undefined ? this.#build.context : this.#rootOf(step.from);
        return copyStep({ ...step, from, to: this.stage().root, target });
      }
      case 'RUN':
        return this.#run(step.command);
      case 'USER':
        this.stage().user = { uid: step.uid, gid: step.gid };
        return;
      case 'EXPOSE':
        this.stage().ports.push(...step.ports);
        return;
      case 'ENTRYPOINT':
        this.stage().entrypoint = step.argv;
        return;
      case 'CMD':
        this.stage().cmd = step.argv;
        return;
    }
  }

  async #from(image: string, name: string | undefined): Promise<void> {
    this.#count += 1;
    this.#current = await startFrom(image, join(this.#build.workspace, `stage-${this.#count}`));
    if (name !== undefined) this.#named.set(name, this.#current);
  }

  #run(command: string): Promise<void> {
    const stage = this.stage();
    const run = (): Promise<void> => runStep(stage, command);
    const { packages: folder } = this.#build;
    const isInstall = /^npm ci( --[\w=-]+)*$/.test(command);
    return folder !== undefined && isInstall ? afterNpmCi(stage, { command, folder }, run) : run();
  }

  #arg(name: string, otherwise: string | undefined): void {
    const value = this.#build.buildArgs[name] ?? otherwise;
    if (value === undefined) throw new Error(`Dockerfile: the build argument ${name} is not given`);
    (this.#current?.args ?? this.#globalArgs)[name] = value;
  }

  #set(values: Record<string, string>, entries: readonly (readonly [string, string])[]): void {
    const { args, env } = this.stage();
    for (const [name, value] of entries) values[name] = expand(value, { ...args, ...env });
  }

  #path(path: string): string {
    const { workingDir, args, env } = this.stage();
    return resolve(workingDir, expand(path, { ...args, ...env }));
  }

  #rootOf(name: string): string {
    const stage = this.#named.get(name);
    if (stage === undefined || stage === this.#current)
      throw new Error(`Dockerfile: there is no stage ${name}`);
    return stage.root;
  }
}
