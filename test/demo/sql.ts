import { parseArgs } from 'node:util';

import { connectedClient } from '../world/servers/connected-client.ts';
import { pgHost } from '../world/names.ts';
import { keptDemo } from './kept-file.ts';
import { Unusable } from './unusable.ts';

/* Runs one statement as superuser against the PostgreSQL of a demo that was kept running. */

try {
  await runStatement();
} catch (error) {
  // A refused connection is an AggregateError without a message of its own.
  const { message, code } = error as Error & { code?: string };
  console.error(message === '' ? `cannot connect: ${code ?? 'unknown'}` : (message.split('\n')[0] ?? ''));
  process.exitCode = 1;
}

async function runStatement(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: { database: { type: 'string' } },
    allowPositionals: true,
  });
  if (positionals.length === 0) {
    throw new Unusable("there is no statement: npm run demo:sql -- [--database NAME] 'STATEMENT'");
  }
  const kept = await keptDemo();
  if (kept === undefined) {
    throw new Unusable('no demo is kept in this folder: start one with npm run demo -- --keep');
  }
  const client = await connectedClient({
    host: kept.host,
    port: kept.port,
    user: kept.name,
    password: kept.password,
    database: values.database ?? kept.database,
    ssl: { ca: kept.ca, servername: pgHost },
  });
  try {
    const { rows, command } = await client.query<Record<string, unknown>>(positionals.join(' '));
    if (rows.length > 0) console.table(rows);
    else console.log(command);
  } finally {
    await client.end();
  }
}
