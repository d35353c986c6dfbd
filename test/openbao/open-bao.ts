import { randomUUID } from 'node:crypto';

import { setUpKv, tokenFor } from '../world/servers/kv.ts';
import { askOpenBao, type OpenBaoAnswer, type OpenBaoRequest } from '../world/servers/openbao-api.ts';
import { writePolicy } from '../world/servers/openbao-policies.ts';
import { startOpenBao } from '../world/servers/openbao.ts';
import { waitFor } from '../world/servers/wait-for.ts';

/** A real OpenBao with mount `pg-tenants` and installation `prod`. */
export interface TestOpenBao extends AsyncDisposable {
  readonly address: string;
  readonly rootToken: string;
  /** Has the operator's documented policy and nothing else. */
  readonly operatorToken: string;
  /** Any call with the root token; a path may begin with a namespace. */
  admin(method: OpenBaoRequest['method'], path: string, body?: object): Promise<OpenBaoAnswer>;
  /** A token with this policy and no other. */
  tokenWith(policy: string): Promise<string>;
  /** Waits until a new KV version 2 mount has finished its upgrade. */
  whenUsable(mount: string): Promise<void>;
}

export const startTestOpenBao = async (): Promise<TestOpenBao> => {
  const bao = await startOpenBao({ mode: 'dev' });
  const { operatorToken } = await setUpKv(bao, { installation: 'prod' });
  const admin: TestOpenBao['admin'] = (method, path, body) =>
    askOpenBao(bao.root, { method, path, ...(body === undefined ? {} : { body }) });
  return {
    address: bao.url,
    rootToken: bao.rootToken,
    operatorToken,
    admin,
    tokenWith: async (policy) => {
      const name = randomUUID();
      await writePolicy(bao, name, policy);
      return tokenFor(bao, name);
    },
    whenUsable: async (mount) => {
      await waitFor(`mount ${mount}`, async () => (await admin('GET', `${mount}/config`)).status === 200);
    },
    [Symbol.asyncDispose]: () => bao.close(),
  };
};
