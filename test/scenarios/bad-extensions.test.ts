import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import { assertNothingLeaked } from './canaries.ts';
import { heldUp, type Messages } from './held-up.ts';
import { inPostgres, sql } from './sql.ts';
import { raise, type Stage } from './stage.ts';
import { change, untilReady } from './tenants.ts';

let stage: Stage;
before(async () => {
  stage = await raise();
  await install({
    'made_above.control': "default_version = '1.0'\nsuperuser = false\nrequires = 'made_below'\n",
    'made_above--1.0.sql': madeOf('made_above'),
    'made_below.control': "default_version = '1.0'\nsuperuser = false\n",
    'made_below--1.0.sql': madeOf('made_below'),
  });
});
after(() => stage.close());

const madeOf = (name: string): string => `create function ${name}() returns int language sql return 1;\n`;

/** Installs a package on the server, as its administrator would: files where it looks for extensions. */
async function install(files: Readonly<Record<string, string>>): Promise<void> {
  const [folder] = await sql<{ setting: string }>(
    stage,
    "select setting from pg_catalog.pg_config where name = 'SHAREDIR'",
  );
  for (const [name, text] of Object.entries(files)) {
    await writeFile(join(folder?.setting ?? '', 'extension', name), text, { mode: 0o644 });
  }
}

// prettier-ignore
const cases: readonly { name: string; spec: { extensions: object[] }; reason: string; message: RegExp }[] = [
  { name: 'absent', spec: { extensions: [{ name: 'made_later' }] }, reason: 'ExtensionUnavailable', message: /^the server does not offer extension "made_later"; .* ask the database administrator to install it/ },
  { name: 'newer', spec: { extensions: [{ name: 'citext', version: '99.9' }] }, reason: 'ExtensionUnavailable', message: /does not offer extension "citext" in version 99\.9; / },
  { name: 'alone', spec: { extensions: [{ name: 'made_above' }] }, reason: 'ExtensionRequires', message: /^extension "made_above" needs "made_below"; list that in spec\.extensions too$/ },
  { name: 'reserved', spec: { extensions: [{ name: 'hstore', schema: 'pg_own' }] }, reason: 'NameReserved', message: /^schema "pg_own" .* reserved by PostgreSQL; .* create another Tenant with another schema$/ },
];
let messages: Messages = {};

test('Extensions that the server cannot install make nothing, be it that good ones are listed beside them', async () => {
  const beside = cases.map((one) => ({
    ...one,
    spec: { extensions: [{ name: 'pg_trgm' }, ...one.spec.extensions] },
  }));
  messages = await heldUp(stage, beside);
  for (const { name } of cases) assert.deepEqual(await inPostgres(stage, `shop_${name}`), {});
});

for (const { name, spec, message } of cases) {
  test(`${JSON.stringify(spec.extensions)}: the message says what is wrong and what to do`, () => {
    assert.match(messages[name] ?? '', message);
  });
}

test('Each goes on by itself once the server has it, or what it needs is listed too', async () => {
  await install({
    'made_later.control': "default_version = '1.0'\nsuperuser = false\n",
    'made_later--1.0.sql': madeOf('made_later'),
    'citext--99.9.sql': madeOf('made_newer'),
  });
  await change(stage, 'alone', {
    extensions: [{ name: 'pg_trgm' }, { name: 'made_above' }, { name: 'made_below' }],
  });
  const found = await Promise.all(['absent', 'newer', 'alone'].map((name) => untilReady(stage, name)));
  const [absent, newer] = found.map(
    ({ status }) => status?.['extensions'] as { name: string; version: string }[],
  );
  assert.deepEqual(
    absent?.find(({ name }) => name === 'made_later'),
    { name: 'made_later', version: '1.0' },
  );
  assert.deepEqual(
    newer?.find(({ name }) => name === 'citext'),
    { name: 'citext', version: '99.9' },
  );
});

test('None of this showed a password or a token', () => assertNothingLeaked(stage));
