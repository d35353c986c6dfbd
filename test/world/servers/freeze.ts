import { readFile } from 'node:fs/promises';

import { connectedClient } from './connected-client.ts';
import { signalIfRunning } from './is-running.ts';
import type { Postgres } from './postgres.ts';
import { watchProcess } from './watchdog.ts';

/** A server that hangs: its processes are there, and so is its port, but nothing comes out of them. */
export interface Frozen {
  /** Lets all of it go on; does no harm when repeated. */
  thaw(): void;
}

/** Stops the postmaster and all sessions, or only the sessions: then new ones can be opened. */
export async function freeze(postgres: Postgres, what: 'server' | 'sessions' = 'server'): Promise<Frozen> {
  const { sessions, postmaster } = await processesOf(postgres);
  return freezeProcesses(what === 'server' ? [postmaster, ...sessions] : sessions);
}

/** Stops processes that may end at any time. Stopped, they do not notice that their postmaster ended; they end with the tests. */
export function freezeProcesses(pids: readonly number[]): Frozen {
  const stopped = [...pids];
  const unwatch = stopped.map(watchProcess);
  for (const pid of stopped) signalIfRunning(pid, 'SIGSTOP');
  return {
    thaw: () => {
      for (const pid of stopped.splice(0)) signalIfRunning(pid, 'SIGCONT');
      for (const done of unwatch.splice(0)) done();
    },
  };
}

/** The sessions that are open, without the one that asks. */
async function processesOf(postgres: Postgres): Promise<{ sessions: number[]; postmaster: number }> {
  const { host, port, superuser } = postgres;
  const client = await connectedClient({
    host,
    port,
    user: superuser.name,
    password: superuser.password,
    database: 'postgres',
    ssl: false,
    connectionTimeoutMillis: 5_000,
  });
  try {
    const { rows } = await client.query<{ pid: number; own: number }>(
      `select a.pid, pg_catalog.pg_backend_pid() as own
         from pg_catalog.pg_stat_activity a
        where a.backend_type = 'client backend'`,
    );
    const own = rows[0]?.own ?? 0;
    const sessions = rows.map(({ pid }) => pid).filter((pid) => pid !== own);
    return { sessions, postmaster: await parentOf(own) };
  } finally {
    await client.end();
  }
}

/** The fourth field of /proc/<pid>/stat; the second one is a name in parentheses. */
async function parentOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
}
