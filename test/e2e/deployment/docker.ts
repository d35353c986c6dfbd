import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { imageFolder } from '../../image/image-folder.ts';
import type { Image } from '../../image/image.ts';
import { startsFrom } from './docker-arguments.ts';
import type { StandIn } from './stand-ins.ts';

/** An engine that performs the Dockerfile as the suite does everywhere, and a registry for what was pushed. */
export function dockerWithRegistry(): { docker: StandIn; pushed: ReadonlyMap<string, Image> } {
  const [built, pushed] = [new Map<string, Image>(), new Map<string, Image>()];
  const docker: StandIn = async ({ args: [verb, ...args], cwd }) => {
    if (verb === 'push') {
      const [tag = ''] = args;
      const image = built.get(tag);
      if (image === undefined) throw new Error(`there is no image ${tag}`);
      pushed.set(tag, image);
      return `pushed ${tag}\n`;
    }
    if (verb !== 'build') throw new Error(`docker ${verb ?? ''}: the page may use build and push`);
    const { values, positionals } = parseArgs({
      args,
      options: { 'build-arg': { type: 'string', multiple: true, default: [] }, tag: { type: 'string' } },
      allowPositionals: true,
    });
    const [context = ''] = positionals;
    const dockerfile = await readFile(join(cwd, context, 'Dockerfile'), 'utf8');
    startsFrom(dockerfile, values['build-arg']);
    built.set(values.tag ?? '', await imageFolder());
    return `built ${values.tag ?? ''}\n`;
  };
  return { docker, pushed };
}
