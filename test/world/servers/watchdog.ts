import { type ChildProcess, spawn } from 'node:child_process';
import { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('watchdog-process.ts', import.meta.url));

let watchdog: ChildProcess | undefined;

/**
 * Has this child, or the group of processes that it leads, killed when we end without having ended it, also when we are
 * killed ourselves: a process of its own looks at the pipe to us, and acts when that closes.
 */
export function watch(child: ChildProcess, { group = false } = {}): void {
  const { pid } = child;
  if (pid === undefined) return;
  const target = group ? -pid : pid;
  tell(`+${target}`);
  child.once('exit', () => tell(`-${target}`));
}

/** The same for a process that is no child of ours, such as one that we stopped and that cannot end. @returns takes it back */
export function watchProcess(pid: number): () => void {
  tell(`+${pid}`);
  return () => tell(`-${pid}`);
}

/** Has this folder removed when we end, if it is still there. */
export function forget(folder: string): void {
  tell(`>${folder}`);
}

function tell(line: string): void {
  watchdog ??= start();
  watchdog.stdin?.write(`${line}\n`);
}

function start(): ChildProcess {
  // Its own process group: Ctrl-C in a terminal is for the whole group of the tests, and must not reach it.
  const child = spawn(process.execPath, [program], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
  child.unref();
  child.stdin.once('error', () => undefined);
  // A pipe is a socket, whatever its type says; this one must not keep us alive.
  const pipe: unknown = child.stdin;
  if (pipe instanceof Socket) pipe.unref();
  return child;
}
