import { chmod, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

/** A command line that somebody typed. */
export interface Call {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Does what the program would, and gives its standard output; `run`: that program is to do it. @throws Error it prints */
export type StandIn = (call: Call) => Promise<string | { readonly run: string }>;

const program = fileURLToPath(new URL('stand-in-program.ts', import.meta.url));

/** Puts programs of these names into `folder`. */
export async function startStandIns(
  folder: string,
  standIns: Readonly<Record<string, StandIn>>,
): Promise<{ url: string; close(): Promise<void> }> {
  for (const name of Object.keys(standIns)) {
    const file = join(folder, name);
    await writeFile(file, `#!/bin/sh\nexec '${process.execPath}' '${program}' ${name} "$@"\n`);
    await chmod(file, 0o755);
  }
  const server = createServer((request, response) => {
    const answering = text(request).then((body) =>
      answer(standIns, JSON.parse(body) as Call & { name: string }),
    );
    answering.then(
      (body) => response.end(JSON.stringify(body)),
      () => response.destroy(),
    );
  });
  server.listen(0, '127.0.0.1');
  await new Promise<void>((resolve, reject) => server.once('listening', resolve).once('error', reject));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(
  standIns: Readonly<Record<string, StandIn>>,
  { name, ...call }: Call & { name: string },
): Promise<object> {
  try {
    const done = await standIns[name]?.(call);
    return typeof done === 'string' ? { code: 0, stdout: done, stderr: '' } : { ...done };
  } catch (error) {
    return { code: 1, stdout: '', stderr: `${name}: ${error instanceof Error ? error.message : ''}\n` };
  }
}
