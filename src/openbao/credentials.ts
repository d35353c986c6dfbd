import { z } from 'zod';

import type { CredentialPath, StoredCredential } from '../domain/credential.ts';
import { Trouble } from '../errors.ts';
import type { Answer } from '../http-client/answer.ts';
import type { CredentialStore, NewCredential } from '../reconcile/ports.ts';
import type { Secret } from '../secret.ts';
import { createClient, type Client, type ClientOptions } from './client.ts';
import { isAbsent, troubleOf } from './errors.ts';
import { assertKept } from './expiry.ts';
import { assertActive, assertVersioned } from './node.ts';
import { isMountPath, keyOf } from './path.ts';
import { parseRecord, recordDataOf } from './record.ts';

export interface CredentialStoreOptions extends ClientOptions {
  /** Base URL that consumers use; it appears in status only. */
  readonly externalAddress: string;
  /** The KV version 2 mount, without slashes around it. */
  readonly mount: string;
}

const versionShape = z.object({
  version: z.int().positive(),
  created_time: z.string(),
  /** '' unless the version is deleted, or will be at that time. */
  deletion_time: z.string(),
  destroyed: z.boolean(),
});
const writtenShape = z.object({ data: versionShape });
const readShape = z.object({ data: z.object({ data: z.unknown(), metadata: versionShape }) });

interface Found {
  readonly stored: StoredCredential;
  readonly password: Secret | undefined;
}

const absent: Found = { stored: { kind: 'absent' }, password: undefined };

/** Tenants' records in KV version 2. Throws a plain `Error` when mount or namespace is not a path of OpenBao. */
export const createCredentialStore = (options: CredentialStoreOptions): CredentialStore => {
  const { mount, namespace } = options;
  if (!isMountPath(mount)) throw new Error('the mount is not a path of OpenBao');
  if (namespace !== undefined && !isMountPath(namespace))
    throw new Error('the namespace is not a path of OpenBao');
  const client = createClient(options);
  const pathOf = (part: 'data' | 'metadata', path: CredentialPath): string =>
    `${mount}/${part}/${keyOf(path, mount)}`;

  return {
    read: (path) => read(client, pathOf('data', path), mount),
    write: async (path, credential, cas) => {
      await assertKept(client, { mount, metadata: pathOf('metadata', path) }, writing);
      await write(client, pathOf('data', path), credential, cas);
    },
    delete: (path) => remove(client, pathOf('metadata', path)),
    isGone: (path) => isGone(client, pathOf('metadata', path), mount),
    url: (path) => {
      const prefix = namespace === undefined ? '' : `${namespace}/`;
      return `${options.externalAddress.replace(/\/+$/, '')}/v1/${prefix}${pathOf('data', path)}`;
    },
  };
};

/** That nothing is there counts from the active node only: a standby that lags behind says so of what exists. */
const read = async (client: Client, path: string, mount: string): Promise<Found> => {
  const doing = 'cannot read the credential';
  const answer = await client.get(path);
  if (isAbsent(answer)) {
    await assertActive(client, doing);
    await assertVersioned(client, mount, doing);
    return absent;
  }
  const parsed = readShape.safeParse(answer.body).data?.data;
  if (parsed !== undefined && (answer.status === 200 || answer.status === 404)) {
    const found = foundOf(parsed, doing);
    if (found.stored.kind === 'deleted') await assertActive(client, doing);
    return found;
  }
  if (answer.status !== 200) throw troubleOf(answer, doing, 'read');
  throw new Trouble('OpenBaoMountInvalid', `${doing}: the answer is not one of KV version 2`);
};

const foundOf = ({ data, metadata }: z.infer<typeof readShape>['data'], doing: string): Found => {
  const { version, created_time: createdAt } = metadata;
  // A deleted or destroyed version comes with status 404 and null.
  if (data === null || data === undefined)
    return { stored: { kind: 'deleted', version }, password: undefined };
  if (metadata.deletion_time !== '') throw expires(doing);
  const whole = parseRecord(data);
  return {
    stored: { kind: 'live', version, createdAt, record: whole?.record ?? null },
    password: whole?.password,
  };
};

const writing = 'cannot write the credential';

const write = async (client: Client, path: string, credential: NewCredential, cas: number): Promise<void> => {
  const answer = await client.post(path, { options: { cas }, data: recordDataOf(credential) });
  if (answer.status !== 200 && answer.status !== 204) throw troubleOf(answer, writing, 'write');
  const written = writtenShape.safeParse(answer.body).data?.data;
  if (written === undefined) throw notWritten(answer, writing);
  if (written.deletion_time !== '') throw expires(writing);
};

/** KV version 1 takes the write as one of a key `data/...` and answers 204; anything else is an answer that got lost. */
const notWritten = (answer: Answer, doing: string): Trouble =>
  answer.status === 204
    ? new Trouble('OpenBaoMountInvalid', `${doing}: the answer is not one of KV version 2`)
    : troubleOf(answer, doing, 'write');

/** Undeleting the version clears its deletion time, so that the record counts again. */
const expires = (doing: string): Trouble =>
  new Trouble(
    'OpenBaoExpiresRecords',
    `${doing}: OpenBao would delete it by itself; set delete_version_after of the mount and of the record to 0, then undelete the version`,
  );

const remove = async (client: Client, path: string): Promise<void> => {
  const doing = 'cannot delete the credential';
  await assertActive(client, doing);
  const answer = await client.delete(path);
  if (answer.status !== 200 && answer.status !== 204) throw troubleOf(answer, doing, 'write');
};

const isGone = async (client: Client, path: string, mount: string): Promise<boolean> => {
  const doing = 'cannot prove that the credential is gone';
  await assertActive(client, doing);
  const answer = await client.get(path);
  if (answer.status === 200) return false;
  if (!isAbsent(answer)) throw troubleOf(answer, doing, 'read');
  await assertVersioned(client, mount, doing);
  return true;
};
