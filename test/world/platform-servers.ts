import { installation, pgHost } from './names.ts';
import type { AtEnd } from './servers/closable.ts';
import { KvClient, setUpKv, type KvSetUp } from './servers/kv.ts';
import {
  type ManagementRole,
  runAsSuperuser,
  setUpManagementRole,
  superuserLogin,
} from './servers/management-role.ts';
import { startOpenBao, type OpenBao } from './servers/openbao.ts';
import { issueCertificate, setUpPki } from './servers/pki.ts';
import { startPostgres, type Postgres } from './servers/postgres.ts';

export interface PlatformServers {
  readonly openBao: OpenBao;
  /** Where the Tenants' records are. */
  readonly kvSetUp: KvSetUp;
  /** Where the platform team keeps management logins. */
  readonly platform: KvSetUp;
  readonly postgres: Postgres;
  /** The operator's login, which the platform's OpenBao record holds too. */
  readonly management: ManagementRole;
  /** PEM of the CA that signed PostgreSQL's certificate. */
  readonly ca: string;
}

export interface PlatformOptions {
  readonly openBao?: 'dev' | 'server';
  /** Settings of PostgreSQL. */
  readonly postgres?: Readonly<Record<string, string>>;
  /** As whom the operator logs in to PostgreSQL; the recommended role when nothing is said. */
  readonly management?: 'recommended' | 'superuser';
}

/** A real OpenBao with its mounts and its PKI, and a real PostgreSQL whose certificate it issued. */
export async function startPlatformServers(
  options: PlatformOptions,
  atEnd: AtEnd,
  say: (step: string) => void,
): Promise<PlatformServers> {
  say('OpenBao');
  const openBao = await startOpenBao({ mode: options.openBao ?? 'dev' });
  atEnd(() => openBao.close());
  const kvSetUp = await setUpKv(openBao, { installation });
  const platform = await setUpKv(openBao, { mount: 'platform', installation: 'management' });
  const { ca } = await setUpPki(openBao, { commonName: 'Example internal CA' });

  say('PostgreSQL');
  const tls = await issueCertificate(openBao, {
    commonName: pgHost,
    dnsNames: [pgHost],
    ipAddresses: ['127.0.0.1'],
  });
  const postgres = await startPostgres({ tls, settings: options.postgres ?? {} });
  atEnd(() => postgres.close());
  const management = await managementOf(postgres, ca, options.management);
  const { username, password } = management;
  await new KvClient(openBao.root, platform.mount).write('management/pg-main', { username, password }, 0);
  return { openBao, kvSetUp, platform, postgres, management, ca };
}

/** Several Instances and replicas share the login in scenarios, so its limit of connections is put out of the way. */
async function managementOf(
  postgres: Postgres,
  ca: string,
  wanted: PlatformOptions['management'] = 'recommended',
): Promise<ManagementRole> {
  if (wanted === 'superuser') return superuserLogin(postgres);
  const ssl = { ca, servername: pgHost };
  const management = await setUpManagementRole(postgres, ssl);
  await runAsSuperuser(postgres, ssl, [`alter role ${management.username} connection limit -1`]);
  return management;
}
