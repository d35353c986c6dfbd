import { rename, writeFile } from 'node:fs/promises';

import type { KubeClient } from './kubernetes/client.ts';

interface Projection {
  readonly kube: KubeClient;
  readonly namespace: string;
  readonly serviceAccount: string;
  readonly audience: string;
  /** Where the token is written, whole or not at all. */
  readonly file: string;
  /** Default an hour; kube-apiserver takes no less than 600. */
  readonly expirationSeconds?: number;
}

/** What the kubelet does for a projected volume: a token in a file, and a new one when 80 % of its life are over. */
export class ProjectedToken {
  /** Every token that was in the file so far. */
  readonly issued: string[] = [];
  readonly #projection: Projection;
  #timer: NodeJS.Timeout | undefined;

  constructor(projection: Projection) {
    this.#projection = projection;
  }

  /** Resolves when the first token is there. */
  static async start(projection: Projection): Promise<ProjectedToken> {
    const token = new ProjectedToken(projection);
    await token.renew();
    return token;
  }

  /** Asks for a new token now. @throws ApiError when there is none to be had: the old one stays */
  async renew(): Promise<void> {
    const { kube, namespace, serviceAccount, audience, file, expirationSeconds = 3600 } = this.#projection;
    const spec = { audiences: [audience], expirationSeconds };
    const { status } = await kube.requestToken(serviceAccount, namespace, spec);
    const token = String(status?.['token']);
    this.issued.push(token);
    await writeFile(`${file}.new`, token, { mode: 0o600 });
    await rename(`${file}.new`, file);
    this.#refreshIn(expirationSeconds * 800);
  }

  stop(): Promise<void> {
    clearTimeout(this.#timer);
    return Promise.resolve();
  }

  #refreshIn(milliseconds: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.renew().catch(() => this.#refreshIn(1_000));
    }, milliseconds).unref();
  }
}
