import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('watchdog-process.ts', import.meta.url));

let watchdog: ChildProcess | undefined;

/**
 * Has this child killed when we end without having ended it, also when we are killed ourselves: a process of its own
 * looks at the pipe to us, and acts when that closes.
 */
export function watch(child: ChildProcess): void {
  const { pid } = child;
  if (pid === undefined) return;
  tell(`+${pid}`);
  child.once('exit', () => tell(`-${pid}`));
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
  // Pipes are sockets, whatever their type says; this one must not keep us alive.
  if ('unref' in child.stdin && typeof child.stdin.unref === 'function') child.stdin.unref();
  return child;
}
