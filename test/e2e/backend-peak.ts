import { setTimeout as sleep } from 'node:timers/promises';

import type pg from 'pg';

import { connectedClient } from '../world/servers/connected-client.ts';
import { pgHost } from '../world/names.ts';
import type { World } from '../world/world.ts';

/** Looks again and again how many sessions there are that are not a superuser's: the operator's, also as a tenant. */
export class BackendPeak {
  highest = 0;
  readonly #client: pg.Client;
  readonly #ending = new AbortController();
  /** Gives the reason why no more could be seen. */
  #looking: Promise<unknown> = Promise.resolve();

  private constructor(client: pg.Client) {
    this.#client = client;
  }

  static async start({ postgres, ca }: World): Promise<BackendPeak> {
    const { host, port, superuser } = postgres;
    const client = await connectedClient({
      ...{ host, port, user: superuser.name, password: superuser.password, database: 'postgres' },
      ssl: { ca, servername: pgHost },
      query_timeout: 10_000,
    });
    const peak = new BackendPeak(client);
    peak.#looking = peak.#look().then(
      () => undefined,
      (error: unknown) => error,
    );
    return peak;
  }

  async stop(): Promise<void> {
    this.#ending.abort();
    const failure = await this.#looking;
    await this.#client.end();
    if (failure !== undefined) throw new Error('the sessions could not be counted', { cause: failure });
  }

  async #look(): Promise<void> {
    const { signal } = this.#ending;
    while (!signal.aborted) {
      const { rows } = await this.#client.query<{ backends: number }>(
        `select count(*)::int as backends
           from pg_catalog.pg_stat_activity a join pg_catalog.pg_roles r on r.oid = a.usesysid
          where a.backend_type = 'client backend' and not r.rolsuper`,
      );
      this.highest = Math.max(this.highest, rows[0]?.backends ?? 0);
      await sleep(50, undefined, { signal }).catch(() => undefined);
    }
  }
}
