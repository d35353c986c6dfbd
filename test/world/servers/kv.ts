import { z } from 'zod';

import { askOpenBao, callOpenBao, type OpenBaoAccess } from './openbao-api.ts';
import { documentedPolicy, writePolicy } from './openbao-policies.ts';
import type { OpenBao } from './openbao.ts';
import { waitFor } from './wait-for.ts';

export interface KvSetUp {
  readonly mount: string;
  /** Name of the documented policy: may write, read and delete the records of the installation, and list nothing. */
  readonly operatorPolicy: string;
  /** Has that policy and no other. */
  readonly operatorToken: string;
  /** May read the records of the installation: for External Secrets. */
  readonly readerToken: string;
}

/** Mounts KV v2 where every write needs `cas`, with the documented policies, and makes one token for each of them. */
export async function setUpKv(
  bao: OpenBao,
  { mount = 'pg-tenants', installation }: { mount?: string; installation: string },
): Promise<KvSetUp> {
  const engine = { type: 'kv', options: { version: '2' } };
  await callOpenBao(bao.root, { method: 'POST', path: `sys/mounts/${mount}`, body: engine });
  // A new KV v2 mount refuses everything with 400 for a moment, while it upgrades itself.
  await waitFor(`the mount ${mount}`, async () => {
    const config = { method: 'POST', path: `${mount}/config`, body: { cas_required: true } } as const;
    return (await askOpenBao(bao.root, config)).status < 300;
  });
  const names = { mount, installation };
  const [operatorPolicy, readerPolicy] = [`operator-${installation}`, `external-secrets-${installation}`];
  await writePolicy(bao, operatorPolicy, await documentedPolicy('openbao-policy', names));
  await writePolicy(bao, readerPolicy, await documentedPolicy('openbao-reader-policy', names));
  return {
    mount,
    operatorPolicy,
    operatorToken: await tokenFor(bao, operatorPolicy),
    readerToken: await tokenFor(bao, readerPolicy),
  };
}

const madeToken = z.object({ auth: z.object({ client_token: z.string() }) });

/** A token with this policy and no other, for a day. */
export async function tokenFor(bao: OpenBao, policy: string): Promise<string> {
  const body = { policies: [policy], no_default_policy: true, ttl: '24h', display_name: policy };
  const made = await callOpenBao(bao.root, { method: 'POST', path: 'auth/token/create', body });
  return madeToken.parse(made).auth.client_token;
}

export interface KvRecord {
  readonly data: Readonly<Record<string, unknown>>;
  readonly version: number;
  readonly createdTime: string;
}

const record = z.object({
  data: z.object({
    data: z.record(z.string(), z.unknown()).nullable(),
    metadata: z.object({ version: z.number(), created_time: z.string() }),
  }),
});

/** Raw access to KV v2 records for tests, with whatever token: usually root's, to look behind the operator's back. */
export class KvClient {
  readonly #access: OpenBaoAccess;
  readonly #mount: string;

  constructor(access: OpenBaoAccess, mount: string) {
    this.#access = access;
    this.#mount = mount;
  }

  /** undefined: nothing there, or deleted. */
  async read(path: string, version?: number): Promise<KvRecord | undefined> {
    const query = version === undefined ? '' : `?version=${version}`;
    const answer = await this.#ask('GET', `data/${path}${query}`);
    if (answer === undefined) return undefined;
    const { data, metadata } = record.parse(answer).data;
    return data === null
      ? undefined
      : { data, version: metadata.version, createdTime: metadata.created_time };
  }

  /** The new version. @throws Error when `cas` is not the version that is there (0: none) */
  async write(path: string, data: Readonly<Record<string, unknown>>, cas: number): Promise<number> {
    const answer = await this.#ask('POST', `data/${path}`, { options: { cas }, data });
    return z.object({ data: z.object({ version: z.number() }) }).parse(answer).data.version;
  }

  /** The metadata as OpenBao gives it; undefined: no such key. */
  async metadata(path: string): Promise<unknown> {
    return (await this.#ask('GET', `metadata/${path}`))?.['data'];
  }

  /** Names below `prefix`; those of folders end in a slash. */
  async list(prefix: string): Promise<string[]> {
    const answer = await this.#ask('GET', `metadata/${prefix}?list=true`);
    if (answer === undefined) return [];
    return z.object({ data: z.object({ keys: z.array(z.string()) }) }).parse(answer).data.keys;
  }

  /** The newest version only; it can be undeleted and its number stays used. */
  async softDelete(path: string): Promise<void> {
    await this.#ask('DELETE', `data/${path}`);
  }

  /** All versions and the version counter. */
  async deleteMetadata(path: string): Promise<void> {
    await this.#ask('DELETE', `metadata/${path}`);
  }

  async #ask(
    method: 'GET' | 'POST' | 'DELETE',
    path: string,
    body?: object,
  ): Promise<Readonly<Record<string, unknown>> | undefined> {
    const request = { method, path: `${this.#mount}/${path}`, ...(body === undefined ? {} : { body }) };
    const answer = await askOpenBao(this.#access, request);
    if (answer.status === 404) return undefined;
    if (answer.status < 300) return answer.body;
    throw new Error(
      `${method} ${path}: OpenBao answered ${answer.status} ${JSON.stringify(answer.body['errors'])}`,
    );
  }
}
