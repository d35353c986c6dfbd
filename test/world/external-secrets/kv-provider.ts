import { z } from 'zod';

import { askOpenBao } from '../servers/openbao-api.ts';
import type { RemoteRef } from './external-secret.ts';
import type { SecretStore } from './secret-store.ts';

/** A key of the store holds nothing, or this version of it is gone: what `deletionPolicy` decides about. */
export class NoSecretError extends Error {
  constructor() {
    super('Secret does not exist');
    this.name = 'NoSecretError';
  }
}

/** The shape of External Secrets' provider for Vault, over the KV v2 engine of OpenBao. */
export class KvProvider {
  readonly #vault: SecretStore['provider']['vault'];
  readonly #token: string;
  readonly #onFetch: () => void;

  constructor({ provider: { vault } }: SecretStore, token: string, onFetch: () => void) {
    this.#vault = vault;
    this.#token = token;
    this.#onFetch = onFetch;
  }

  /** All keys of a record as texts, by one GET. @throws NoSecretError, or Error with OpenBao's words */
  async getMap(reference: RemoteRef): Promise<Map<string, string>> {
    const data = await this.#read(reference);
    const source = reference.property === undefined ? data : propertyOf(data, reference.property);
    const record = z.record(z.string(), z.unknown()).parse(source);
    return new Map(Object.entries(record).map(([key, value]) => [secretKey(key), textOf(value)]));
  }

  /** One value of a record, or all of it as JSON, by one GET. @throws as `getMap` does */
  async getValue(reference: RemoteRef): Promise<string> {
    const data = await this.#read(reference);
    return reference.property === undefined ? textOf(data) : textOf(propertyOf(data, reference.property));
  }

  /** @throws Error unless the token is accepted */
  async validate(): Promise<void> {
    const { status } = await askOpenBao(this.#access, { method: 'GET', path: 'auth/token/lookup-self' });
    if (status !== 200) throw new Error(`invalid vault credentials: OpenBao answered ${status}`);
  }

  get #access(): { url: string; token: string } {
    return { url: this.#vault.server.replace(/\/+$/, ''), token: this.#token };
  }

  async #read({ key, version }: RemoteRef): Promise<Record<string, unknown>> {
    this.#onFetch();
    const mount = this.#vault.path;
    // The provider takes the mount's name off the front of a key, wanted or not.
    const below = key.startsWith(`${mount}/`) ? key.slice(mount.length + 1) : key;
    const query = version === undefined ? '' : `?version=${encodeURIComponent(version)}`;
    const answer = await askOpenBao(this.#access, { method: 'GET', path: `${mount}/data/${below}${query}` });
    if (answer.status === 404) throw new NoSecretError();
    if (answer.status !== 200) {
      throw new Error(`cannot read secret data from Vault: ${answer.status} ${JSON.stringify(answer.body)}`);
    }
    const { data } = z
      .object({ data: z.object({ data: z.record(z.string(), z.unknown()).nullable() }) })
      .parse(answer.body).data;
    if (data === null) throw new NoSecretError();
    return data;
  }
}

const propertyOf = (data: Readonly<Record<string, unknown>>, property: string): unknown => {
  const value = data[property];
  if (value === undefined) throw new Error(`cannot find secret data for key: "${property}"`);
  return value;
};

/** conversionStrategy Default: what a Secret may not have in a key becomes an underscore. */
const secretKey = (key: string): string => key.replaceAll(/[^-._a-zA-Z0-9]/g, '_');

const textOf = (value: unknown): string => {
  if (value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
};
