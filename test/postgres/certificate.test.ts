import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';

import type { ServerView } from '../../src/domain/server.ts';
import { createServers } from '../../src/postgres/servers.ts';
import type { ServerTarget } from '../../src/reconcile/ports.ts';
import { type OpenBao, startOpenBao } from '../world/servers/openbao.ts';
import { issueCertificate, setUpPki } from '../world/servers/pki.ts';
import { startPostgres } from '../world/servers/postgres.ts';
import { LiveServer, LiveTenant } from './live-server.ts';

const name = 'db.example.internal';
const issue = (bao: OpenBao, dnsNames: string[], ipAddresses: string[]) =>
  issueCertificate(bao, { commonName: name, dnsNames, ipAddresses });

describe('the certificate of a server', () => {
  let bao: OpenBao;
  let live: LiveServer;
  let ca: string;
  before(async () => {
    bao = await startOpenBao({ mode: 'dev' });
    ({ ca } = await setUpPki(bao, { commonName: 'Test Root' }));
    live = new LiveServer(await startPostgres({ tls: await issue(bao, [name], ['127.0.0.1']) }), {
      host: name,
      hostAddress: '127.0.0.1',
      tls: { mode: 'verify-full', ca },
    });
  });
  after(async () => {
    await live.close();
    await bao.close();
  });

  const look = async (more: Partial<ServerTarget> = {}): Promise<ServerView> => {
    const servers = createServers();
    try {
      return await servers.of({ ...live.target, instanceUid: randomUUID(), ...more }).observe.server();
    } finally {
      await servers.close();
    }
  };

  it('is verified against the name while the address is dialled, for tenants too', async () => {
    await live.register();
    const tenant = new LiveTenant(live);
    await tenant.open();
    assert.equal((await tenant.session()).kind, 'proven');
    assert.deepEqual((await look()).certificate, { coversHost: true, coversAddress: true });
  });

  it('must be known to the bundle, unless the mode says otherwise', async () => {
    const other = await otherRoot();
    await assert.rejects(look({ tls: { mode: 'verify-full', ca: other } }), {
      reason: 'TLSVerificationFailed',
    });
    await assert.rejects(look({ tls: { mode: 'verify-ca', ca: other } }), {
      reason: 'TLSVerificationFailed',
    });
    assert.equal((await look({ tls: { mode: 'verify-full', ca: other.trim() + ca } })).pooled, false);
    const wrongName = { host: 'other.example.internal' };
    assert.equal((await look({ ...wrongName, tls: { mode: 'require', ca: undefined } })).pooled, false);
    assert.equal((await look({ ...wrongName, tls: { mode: 'verify-ca', ca } })).pooled, false);
    await assert.rejects(look(wrongName), { reason: 'CertificateSANMissing' });
  });

  it('that lacks the address is reported, and does not matter to other modes', async () => {
    await live.postgres.replaceCertificate(await issue(bao, [name], []));
    assert.deepEqual((await look()).certificate, { coversHost: true, coversAddress: false });
    const anyCertificate = { coversHost: true, coversAddress: true };
    assert.deepEqual((await look({ tls: { mode: 'verify-ca', ca } })).certificate, anyCertificate);
  });

  it('that has the name only as its common name is not enough', async () => {
    await live.postgres.replaceCertificate(await issue(bao, [], ['127.0.0.1']));
    assert.deepEqual((await look()).certificate, { coversHost: false, coversAddress: true });
  });
});

/** The root of another PKI. */
async function otherRoot(): Promise<string> {
  const other = await startOpenBao({ mode: 'dev' });
  try {
    return (await setUpPki(other, { commonName: 'Other Root' })).ca;
  } finally {
    await other.close();
  }
}
