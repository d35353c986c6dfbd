import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const entry = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface OperatorProcess extends AsyncDisposable {
  signal(name: 'SIGTERM' | 'SIGINT'): void;
  /** How it ended; throws when it does not within the time. */
  ended(milliseconds?: number): Promise<Ended>;
  /** The first output, of both streams together, that matches; throws when there is none within the time. */
  saw(pattern: RegExp, milliseconds?: number): Promise<RegExpExecArray>;
  stdout(): string;
  stderr(): string;
}

/** Starts `node src/main.ts` with exactly this environment. */
export function startOperator(env: Readonly<Record<string, string>>): OperatorProcess {
  const child = spawn(process.execPath, [entry], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const output = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output.stderr += text));
  const closed = once(child, 'close');
  const isRunning = () => child.exitCode === null && child.signalCode === null;
  const everything = () => output.stdout + output.stderr;
  const ended = async (milliseconds = 20_000): Promise<Ended> => {
    const timer = new AbortController();
    const late = sleep(milliseconds, 'late', { signal: timer.signal }).catch(() => 'ended');
    const first = await Promise.race([closed.then(() => 'ended'), late]);
    timer.abort();
    if (first === 'late') throw new Error(`it still runs after ${milliseconds} ms:\n${everything()}`);
    return { code: child.exitCode, signal: child.signalCode };
  };
  return {
    signal: (name) => void child.kill(name),
    ended,
    saw: async (pattern, milliseconds = 20_000) => {
      const deadline = Date.now() + milliseconds;
      for (;;) {
        const found = pattern.exec(everything());
        if (found !== null) return found;
        if (Date.now() > deadline || !isRunning()) {
          throw new Error(`it never said ${String(pattern)}:\n${everything()}`);
        }
        await sleep(20);
      }
    },
    stdout: () => output.stdout,
    stderr: () => output.stderr,
    [Symbol.asyncDispose]: async () => {
      if (isRunning()) child.kill('SIGKILL');
      await closed;
    },
  };
}

export interface Workplace extends AsyncDisposable {
  /** A whole configuration, with a free port and no pause before the end. */
  readonly env: Readonly<Record<string, string>>;
}

/** Token files and a configuration that names them; OpenBao's address is one where nobody listens. */
export async function workplace(kubernetesUrl: string): Promise<Workplace> {
  const folder = await mkdtemp(join(tmpdir(), 'operator-process-'));
  const token = join(folder, 'token');
  await writeFile(token, 'canary-token');
  return {
    env: {
      HOST: '127.0.0.1',
      PORT: '0',
      METRICS_PORT: '0',
      HOOK_TLS: 'off',
      HOOK_AUTHENTICATION: 'none',
      INSTALLATION: 'prod',
      OPERATOR_NAMESPACE: 'pgtenancy',
      KUBERNETES_URL: kubernetesUrl,
      KUBERNETES_TOKEN_FILE: token,
      OPENBAO_ADDRESS: 'http://127.0.0.1:9',
      OPENBAO_MOUNT: 'pg-tenants',
      OPENBAO_AUTH: 'token',
      OPENBAO_TOKEN_FILE: token,
      SECRET_STORE_NAME: 'tenants',
      DRAIN_SECONDS: '0',
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  };
}
