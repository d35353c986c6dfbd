import type { Pod } from './pod.ts';

interface Wanted {
  readonly audience?: string | undefined;
  readonly expirationSeconds: number;
}

interface Issued {
  readonly token: string;
  refreshAt: number;
}

/** Tokens of the Pod's ServiceAccount: each is asked for once, and again when 80 % of its life are over. */
export class PodTokens {
  readonly #pod: Pod;
  /** Every token so far that is for somebody else than the Kubernetes API. */
  readonly forOthers: string[] = [];
  readonly #issued = new Map<string, Issued>();

  constructor(pod: Pod) {
    this.#pod = pod;
  }

  /** @throws ApiError when there was none yet and none is to be had */
  async current(wanted: Wanted): Promise<string> {
    const key = JSON.stringify([wanted.audience, wanted.expirationSeconds]);
    const held = this.#issued.get(key);
    if (held !== undefined && Date.now() < held.refreshAt) return held.token;
    try {
      const token = await this.#request(wanted);
      if (wanted.audience !== undefined) this.forOthers.push(token);
      this.#issued.set(key, { token, refreshAt: Date.now() + wanted.expirationSeconds * 800 });
      return token;
    } catch (error) {
      // The old one may have some life left.
      if (held === undefined) throw error;
      return held.token;
    }
  }

  /** The next look asks for new ones. */
  expire(): void {
    for (const held of this.#issued.values()) held.refreshAt = 0;
  }

  async #request({ audience, expirationSeconds }: Wanted): Promise<string> {
    const { kube, namespace, template } = this.#pod;
    const { status } = await kube.requestToken(template.spec.serviceAccountName, namespace, {
      ...(audience === undefined ? {} : { audiences: [audience] }),
      expirationSeconds,
    });
    const token = status?.['token'];
    if (typeof token !== 'string') throw new Error('TokenRequest answered without a token');
    return token;
  }
}
