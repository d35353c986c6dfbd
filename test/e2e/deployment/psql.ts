import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';

import type pg from 'pg';
import { z } from 'zod';

import { connectedClient } from '../../world/servers/connected-client.ts';
import { statementsIn } from '../../world/servers/psql-script.ts';
import type { Call, StandIn } from './stand-ins.ts';

/** What the page says about a connection; anything else is an error. */
const connection = z.strictObject({
  host: z.string(),
  user: z.string(),
  dbname: z.string().optional(),
  sslmode: z.literal('verify-full'),
  sslrootcert: z.string(),
});

/** Where a host of the page is on this machine, and what a person would type when asked for a password. */
interface Server {
  readonly host: string;
  readonly port: number;
  readonly passwords: Readonly<Record<string, string>>;
}

/** psql with the options that the page uses, on a real server. */
export const psqlOn =
  (server: Server): StandIn =>
  async (call) => {
    const { values, positionals } = parseArgs({
      args: [...call.args],
      options: {
        command: { type: 'string', short: 'c' },
        file: { type: 'string', short: 'f' },
      },
      allowPositionals: true,
    });
    const script = values.command ?? (await readFile(resolve(call.cwd, values.file ?? ''), 'utf8'));
    const client = await connect(server, call, positionals);
    try {
      let printed = '';
      for (const statement of statementsIn(script, call.env))
        printed += shown(await client.query<Record<string, unknown>>(statement));
      return printed;
    } finally {
      await client.end();
    }
  };

async function connect(server: Server, call: Call, [words = '']: readonly string[]): Promise<pg.Client> {
  const wanted = connection.parse(Object.fromEntries(words.split(' ').map(pairOf)));
  if (wanted.host !== server.host) throw new Error(`could not translate host name "${wanted.host}"`);
  return connectedClient({
    host: '127.0.0.1',
    port: server.port,
    user: wanted.user,
    password: call.env['PGPASSWORD'] ?? server.passwords[wanted.user],
    database: wanted.dbname ?? wanted.user,
    ssl: { ca: await readFile(resolve(call.cwd, wanted.sslrootcert), 'utf8'), servername: wanted.host },
  });
}

const pairOf = (word: string): [string, string] => {
  const at = word.indexOf('=');
  return [word.slice(0, at), word.slice(at + 1)];
};

const shown = ({ command, rows }: pg.QueryResult<Record<string, unknown>>): string =>
  rows.length === 0 ? `${command}\n` : rows.map((row) => `${Object.values(row).join(' | ')}\n`).join('');
