import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';

import pg from 'pg';

import { pgHost } from '../world/world.ts';
import { keptFile } from './keep.ts';

/* Runs one statement as superuser against the PostgreSQL of a demo that was kept running. */

const { values, positionals } = parseArgs({
  options: { database: { type: 'string', default: 'postgres' } },
  allowPositionals: true,
});
const kept = JSON.parse(await readFile(keptFile, 'utf8')) as Record<string, string>;
const client = new pg.Client({
  host: kept['host'] ?? '',
  port: Number(kept['port']),
  user: kept['name'] ?? '',
  password: kept['password'] ?? '',
  database: values.database,
  ssl: { ca: kept['ca'] ?? '', servername: pgHost },
});
await client.connect();
const { rows, command } = await client.query<Record<string, unknown>>(positionals.join(' '));
if (rows.length > 0) console.table(rows);
else console.log(command);
await client.end();
