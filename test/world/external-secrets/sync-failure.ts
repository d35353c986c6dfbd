/** A sync that did not work out; the message goes into the condition Ready. */
export class SyncFailure extends Error {
  /** False: only a change of the ExternalSecret or of its Secret brings the next try. */
  readonly retry: boolean;

  /** @param detail what the provider said: for the Event alone, never for the status */
  constructor(message: string, options: { detail?: unknown; retry?: boolean } = {}) {
    super(message, { cause: options.detail });
    this.name = 'SyncFailure';
    this.retry = options.retry ?? true;
  }
}

/** What went wrong below, in words. */
export const detailOf = ({ cause }: Error): string =>
  cause instanceof Error ? cause.message : String(cause);
