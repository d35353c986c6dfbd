import { z } from 'zod';

import type { CredentialRecord } from '../domain/credential.ts';
import type { NewCredential } from '../reconcile/ports.ts';
import { Secret } from '../secret.ts';

const text = z.string().min(1);

/** The KV record as applications get it. What the Instance does not have is left out, not written as an empty string. */
const recordShape = z.object({
  type: z.literal('postgresql'),
  provider: z.literal('postgresql-tenant-operator'),
  host: text,
  hostaddr: z.string().default(''),
  port: z.string().regex(/^[0-9]{1,5}$/),
  database: text,
  username: text,
  password: z.string().regex(/^[A-Za-z0-9]{32,256}$/),
  sslmode: z.enum(['disable', 'require', 'verify-ca', 'verify-full']),
  uri: text,
  certificates: z.string().default(''),
  rotation: z.string().default(''),
});

/** What is written: strings only, the plaintext password among them. Throws a plain `Error` (a bug) when it is not whole. */
export const recordDataOf = ({ record, password }: NewCredential): Readonly<Record<string, string>> => {
  const optional = {
    hostaddr: record.hostaddr,
    certificates: record.certificates,
    rotation: record.rotation,
  };
  const data = {
    type: record.type,
    provider: record.provider,
    host: record.host,
    port: record.port,
    database: record.database,
    username: record.username,
    password: password.reveal(),
    sslmode: record.sslmode,
    uri: uriOf(record, password),
    ...Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== '')),
  };
  if (parseRecord(data) === null) throw new Error('the credential to be written is not a whole record');
  return data;
};

/** null: not a whole record of ours, or one whose `uri` says something else than its fields. */
export const parseRecord = (data: unknown): NewCredential | null => {
  const parsed = recordShape.safeParse(data);
  if (!parsed.success) return null;
  const { password, uri, ...record } = parsed.data;
  return agrees(uri, record, password) ? { record, password: new Secret(password) } : null;
};

/** A libpq URI; other drivers read the same, and ignore `hostaddr`. */
const uriOf = (record: CredentialRecord, password: Secret): string => {
  const host = record.host.includes(':') ? `[${record.host}]` : record.host;
  const user = `${encodeURIComponent(record.username)}:${encodeURIComponent(password.reveal())}`;
  const parameters = [
    ['sslmode', record.sslmode],
    ...(record.hostaddr === '' ? [] : [['hostaddr', record.hostaddr]]),
  ];
  const query = parameters.map((pair) => pair.map(encodeURIComponent).join('=')).join('&');
  return `postgresql://${user}@${host}:${record.port}/${encodeURIComponent(record.database)}?${query}`;
};

/** By meaning and not by letter: a later version may add a parameter, and old records must stay valid. */
const agrees = (uri: string, record: CredentialRecord, password: string): boolean => {
  const url = URL.parse(uri);
  if (url?.protocol !== 'postgresql:') return false;
  const found = [
    url.hostname.replace(/^\[|\]$/g, ''),
    url.port,
    url.pathname.slice(1),
    url.username,
    url.password,
  ];
  const wanted = [record.host, record.port, record.database, record.username, password];
  return wanted.every((value, index) => decodes(found[index], value));
};

const decodes = (encoded: string | undefined, value: string): boolean => {
  try {
    return encoded !== undefined && decodeURIComponent(encoded) === value;
  } catch {
    return false;
  }
};
