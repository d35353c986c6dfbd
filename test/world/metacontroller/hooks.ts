import type { KubeObject } from '../kubernetes/client.ts';
import type { Authorizations } from './authorization.ts';
import type { CompositeControllerSpec, HookName } from './composite-controller.ts';
import type { FaultInjector } from './faults.ts';
import { Webhook, type WebhookAnswer } from './webhook.ts';

/** One request to a hook and what came of it. */
export interface HookCall {
  /** Name of the CompositeController. */
  controller: string;
  hook: HookName;
  /** Of the parent; undefined for a cluster-scoped one. */
  namespace: string | undefined;
  name: string;
  request: Record<string, unknown>;
  /** undefined: no whole answer came (timeout, connection lost, stopped). */
  status: number | undefined;
  /** Parsed JSON, or the text when it is none; undefined without an answer. */
  response: unknown;
  /** Why there was no answer. */
  error: string | undefined;
  /** Milliseconds since the epoch. */
  startedAt: number;
  durationMs: number;
}

/** HTTP 429. */
export class TooManyRequests extends Error {
  readonly afterSeconds: number;

  constructor(afterSeconds: number) {
    super(`too many requests, retry after ${afterSeconds} s`);
    this.name = 'TooManyRequests';
    this.afterSeconds = afterSeconds;
  }
}

export interface HooksOptions {
  controller: string;
  spec: CompositeControllerSpec['hooks'];
  authorizations: Authorizations;
  faults: FaultInjector;
  signal: AbortSignal;
  onCall: (call: HookCall) => void;
}

/** The hooks of one CompositeController. */
export class Hooks {
  readonly #options: HooksOptions;
  readonly #webhooks: ReadonlyMap<HookName, Webhook>;

  constructor(options: HooksOptions) {
    this.#options = options;
    this.#webhooks = new Map(
      (['sync', 'finalize', 'customize'] as const).flatMap((name) => {
        const webhook = options.spec[name]?.webhook;
        return webhook === undefined ? [] : [[name, new Webhook(webhook, options.authorizations.get(name))]];
      }),
    );
  }

  has(hook: HookName): boolean {
    return this.#webhooks.has(hook);
  }

  /** The body of a 200. Throws TooManyRequests for a 429, and an Error with the whole body for any other status. */
  async call(hook: HookName, parent: KubeObject, request: Record<string, unknown>): Promise<string> {
    await this.#options.faults.faults.beforeCall?.(hook, parent);
    const copies = this.#options.faults.duplicateNow() ? 2 : 1;
    const posts = Array.from({ length: copies }, () => this.#post(hook, parent, request));
    await Promise.allSettled(posts);
    const answer = await posts[copies - 1];
    if (answer === undefined) throw new Error(`hook ${hook} is not defined`);
    if (answer.status === 429) throw new TooManyRequests(secondsOf(answer.retryAfter));
    if (answer.status !== 200)
      throw new Error(`unsupported status code: ${answer.status} body: ${answer.body}`);
    return answer.body;
  }

  close(): void {
    for (const webhook of this.#webhooks.values()) webhook.close();
  }

  async #post(
    hook: HookName,
    parent: KubeObject,
    request: Record<string, unknown>,
  ): Promise<WebhookAnswer | undefined> {
    const startedAt = Date.now();
    const { signal, faults } = this.#options;
    const record = (outcome: Pick<HookCall, 'status' | 'response' | 'error'>): void => {
      const { namespace, name } = parent.metadata;
      const durationMs = Date.now() - startedAt;
      const { controller } = this.#options;
      this.#options.onCall({ controller, hook, namespace, name, request, ...outcome, startedAt, durationMs });
    };
    try {
      const webhook = this.#webhooks.get(hook);
      const answer = await webhook?.post(JSON.stringify(request), signal, faults.faults.timeoutAfterMs);
      record({ status: answer?.status, response: parsedOrText(answer?.body), error: undefined });
      return answer;
    } catch (error) {
      record({ status: undefined, response: undefined, error: String(error) });
      throw error;
    }
  }
}

/** Whole seconds, or an HTTP date; anything else (also "0.5") means at once. */
const secondsOf = (retryAfter = ''): number => {
  if (/^[+-]?\d+$/.test(retryAfter)) return Number(retryAfter);
  const date = Date.parse(retryAfter);
  const isDate = /^[A-Z][a-z]{2}, \d{2} /.test(retryAfter) && !Number.isNaN(date);
  return isDate ? Math.ceil((date - Date.now()) / 1_000) : 0;
};

const parsedOrText = (body: string | undefined): unknown => {
  if (body === undefined) return undefined;
  try {
    return JSON.parse(body) as unknown;
  } catch {
    return body;
  }
};
