import { spawn } from 'node:child_process';
import { dirname } from 'node:path';

import { programPath, type ProgramName } from '../programs/programs.ts';
import { goEnvironment } from '../world/servers/go-environment.ts';
import { runToEnd } from '../world/servers/run-to-end.ts';

export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface RunOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** What it reads from its standard input. */
  readonly input?: string;
  /** It is killed after so long, by default 120 s; `code` is null then. */
  readonly timeoutMs?: number;
}

/** kubectl keeps there what it learned of a server, which must not outlive it: the next one may have the same port. */
const homeOf = ({ KUBECONFIG }: Readonly<Record<string, string>>): string =>
  KUBECONFIG === undefined ? '/nonexistent' : dirname(KUBECONFIG);

/** Runs kubectl or helm to its end. HOME is by default the folder of KUBECONFIG, so that nobody's settings count. */
export async function runProgram(
  name: ProgramName,
  args: readonly string[],
  { cwd, env = {}, input = '', timeoutMs = 120_000 }: RunOptions = {},
): Promise<Outcome> {
  const child = spawn(await programPath(name), args, {
    env: { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC', HOME: homeOf(env), ...goEnvironment, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
    ...(cwd === undefined ? {} : { cwd }),
  });
  // It may end without having read everything.
  child.stdin.once('error', () => undefined).end(input);
  const { code, stdout, stderr } = await runToEnd(child);
  return { code, stdout, stderr };
}

/** The same, for what has to succeed: gives the standard output. @throws Error with both outputs */
export async function mustRun(
  name: ProgramName,
  args: readonly string[],
  options: RunOptions = {},
): Promise<string> {
  const { code, stdout, stderr } = await runProgram(name, args, options);
  if (code !== 0)
    throw new Error(`${name} ${args.join(' ')} ended with ${String(code)}:\n${stderr}${stdout}`);
  return stdout;
}
