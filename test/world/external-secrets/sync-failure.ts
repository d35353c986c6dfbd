/** A sync that did not work out; the message goes into the condition Ready. */
export class SyncFailure extends Error {
  /** False: only a change of the ExternalSecret or of its Secret brings the next try. */
  readonly retry: boolean;
  /** It failed at a Secret that was there: the status names that one as its binding all the same. */
  readonly bound: boolean;

  /** @param detail what the provider said: for the Event alone, never for the status */
  constructor(message: string, options: { detail?: unknown; retry?: boolean; bound?: boolean } = {}) {
    super(message, { cause: options.detail });
    this.name = 'SyncFailure';
    this.retry = options.retry ?? true;
    this.bound = options.bound ?? false;
  }
}

/** What went wrong below, in words. */
export const detailOf = ({ cause }: Error): string =>
  cause instanceof Error ? cause.message : String(cause);
