import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';

import { runGroupToEnd } from '../world/servers/run-to-end.ts';
import type { Stage } from './stage.ts';

const timeoutMs = 10 * 60_000;

/** What a build needs of this machine: how it reaches the npm registry, and where npm keeps what it fetched before. */
const passedOn =
  /^(HOME|TMPDIR|(https?|no)_proxy|npm_config_(registry|cache|userconfig|cafile)|NODE_EXTRA_CA_CERTS|SSL_CERT_(FILE|DIR))$/i;

/**
 * Performs a RUN: by the shell, in the stage's working directory, with this suite's Node first on the PATH.
 * @throws Error with what the command wrote, when it fails or takes more than 10 minutes
 */
export async function runStep(stage: Stage, command: string): Promise<void> {
  if (stage.user.uid !== 0)
    throw new Error(`Dockerfile: \`RUN ${command}\` as another user is not performed here`);
  const child = spawn('/bin/sh', ['-c', `umask 022\n${command}`], {
    cwd: join(stage.root, stage.workingDir),
    env: { ...environment(), ...stage.args, ...stage.env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const { code, output } = await runGroupToEnd(child, timeoutMs);
  if (code !== 0) throw new Error(`Dockerfile: \`RUN ${command}\` ended with ${String(code)}:\n${output}`);
}

const environment = (): Record<string, string | undefined> => ({
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => passedOn.test(name))),
  PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? '/usr/bin:/bin'}`,
  // What was fetched once is not fetched again, so that a machine without network can build as well.
  npm_config_prefer_offline: 'true',
  npm_config_update_notifier: 'false',
});
