/** How the API misbehaves; a test switches these on and off. */
export class Faults {
  /** Milliseconds that every request waits before it is looked at. */
  delayMs = 0;
  /** Milliseconds between the kinds when a namespace or a definition is emptied. */
  contentPauseMs = 30;
  readonly #cutConnections: () => void;
  #isDown = false;

  constructor(cutConnections: () => void) {
    this.#cutConnections = cutConnections;
  }

  /** While true, open connections (watches too) and new ones are destroyed. */
  get down(): boolean {
    return this.#isDown;
  }

  set down(value: boolean) {
    this.#isDown = value;
    if (value) this.#cutConnections();
  }
}
