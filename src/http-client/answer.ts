export interface Answer {
  readonly status: number;
  /** Parsed JSON, or the text where it is none. */
  readonly body: unknown;
}
