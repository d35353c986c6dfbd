import assert from 'node:assert/strict';
import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';

import type { Client } from 'pg';

import { connectedClient } from './connected-client.ts';
import { type OpenBao, startOpenBao } from './openbao.ts';
import { issueCertificate, setUpPki } from './pki.ts';
import { type Postgres, startPostgres } from './postgres.ts';
import { presentedFingerprint } from './presented-certificate.ts';

const connect = (postgres: Postgres, more: object = {}): Promise<Client> =>
  connectedClient({
    host: postgres.host,
    port: postgres.port,
    user: postgres.superuser.name,
    password: postgres.superuser.password,
    database: 'postgres',
    connectionTimeoutMillis: 5_000,
    ...more,
  });

async function ask(postgres: Postgres, query: string, more: object = {}): Promise<unknown> {
  const client = await connect(postgres, more);
  try {
    const { rows } = await client.query<Record<string, unknown>>(query);
    return Object.values(rows[0] ?? {})[0];
  } finally {
    await client.end();
  }
}

describe('a PostgreSQL without TLS', () => {
  let postgres: Postgres;
  before(async () => {
    postgres = await startPostgres({
      superuser: { name: 'root_of_all', password: 'p' },
      settings: { log_statement: 'all', max_connections: '17' },
      hba: ['host all barred all reject'],
    });
  });
  after(() => postgres.close());

  it('lets the superuser in by SCRAM and writes a log', async () => {
    const own = `select rolpassword ~ '^SCRAM-SHA-256' from pg_catalog.pg_authid where rolname = current_user`;
    assert.equal(await ask(postgres, own), true);
    assert.match(postgres.log(), /root_of_all@postgres LOG: {2}statement: select rolpassword/);
    await assert.rejects(connect(postgres, { password: 'wrong' }), { code: '28P01' });
  });

  it('follows the settings and the lines of pg_hba.conf that it is given', async () => {
    assert.equal(await ask(postgres, 'show max_connections'), '17');
    await ask(postgres, `create role barred login password 'p'`);
    await assert.rejects(connect(postgres, { user: 'barred', password: 'p' }), { code: '28000' });
  });

  it('keeps its data over a stop and a kill', async () => {
    await ask(postgres, 'create table kept (n int)');
    await postgres.stop();
    await assert.rejects(connect(postgres), { code: 'ECONNREFUSED' });
    await postgres.start();
    const session = await connect(postgres);
    await postgres.kill();
    await assert.rejects(session.query('select 1'));
    await postgres.start();
    assert.equal(await ask(postgres, 'select count(*)::int from kept'), 0);
    assert.match(postgres.log(), /database system was not properly shut down/);
  });
});

describe('a PostgreSQL with a certificate from the PKI of OpenBao', () => {
  let bao: OpenBao;
  let postgres: Postgres;
  let ca: string;
  const names = { commonName: 'db', dnsNames: ['db.example.internal'], ipAddresses: ['127.0.0.1'] };
  before(async () => {
    bao = await startOpenBao({ mode: 'dev' });
    ({ ca } = await setUpPki(bao, { commonName: 'Test Root' }));
    postgres = await startPostgres({ tls: await issueCertificate(bao, names) });
  });
  after(async () => {
    await postgres.close();
    await bao.close();
  });

  it('is trusted by its DNS name and by its address, and by no other name', async () => {
    const ssl = { ca, rejectUnauthorized: true };
    const over = 'select version from pg_catalog.pg_stat_ssl where pid = pg_catalog.pg_backend_pid()';
    assert.equal(await ask(postgres, over, { ssl }), 'TLSv1.3');
    assert.equal(
      await ask(postgres, over, { ssl: { ...ssl, servername: 'db.example.internal' } }),
      'TLSv1.3',
    );
    await assert.rejects(connect(postgres, { ssl: { ...ssl, servername: 'other.example.internal' } }), {
      code: 'ERR_TLS_CERT_ALTNAME_INVALID',
    });
  });

  it('refuses a connection without TLS', async () => {
    await assert.rejects(connect(postgres), { code: '28000' });
  });

  it('presents a replaced certificate to new connections', async () => {
    const first = await presentedFingerprint(postgres.host, postgres.port);
    await postgres.replaceCertificate(await issueCertificate(bao, { ...names, ipAddresses: [] }));
    assert.notEqual(await presentedFingerprint(postgres.host, postgres.port), first);
    await assert.rejects(connect(postgres, { ssl: { ca, rejectUnauthorized: true } }), {
      code: 'ERR_TLS_CERT_ALTNAME_INVALID',
    });
  });
});

describe('the files of a PostgreSQL', () => {
  it('are gone after close and after a start that fails, which says why', async () => {
    const [parent, earlier] = [await mkdtemp(join(tmpdir(), 'pgtenancy-empty-')), process.env['TMPDIR']];
    await chmod(parent, 0o755);
    process.env['TMPDIR'] = parent;
    try {
      await assert.rejects(
        startPostgres({ settings: { shared_buffers: 'many' } }),
        /PostgreSQL ended with code 1.*invalid value for parameter "shared_buffers"/s,
      );
      const postgres = await startPostgres();
      assert.equal((await readdir(parent)).length, 1);
      await postgres.close();
      assert.deepEqual(await readdir(parent), []);
    } finally {
      if (earlier === undefined) delete process.env['TMPDIR'];
      else process.env['TMPDIR'] = earlier;
      await rm(parent, { recursive: true });
    }
  });

  it('stay where the caller wants them, so that a later run finds its data', async () => {
    const parent = await mkdtemp(join(tmpdir(), 'pgtenancy-kept-'));
    const dataDir = join(parent, 'data');
    try {
      // Only root has to hand the server to another user, who then may be barred by a parent folder.
      if (process.getuid?.() === 0) await assert.rejects(startPostgres({ dataDir }), /cannot enter/);
      await chmod(parent, 0o755);
      for (const query of ['create table kept (n int)', 'insert into kept values (1)']) {
        const postgres = await startPostgres({ dataDir });
        await ask(postgres, query).finally(() => postgres.close());
      }
    } finally {
      await rm(parent, { recursive: true });
    }
  });
});
