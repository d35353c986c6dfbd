/** Prints what happens, with the seconds since the start. */
export class Narrator {
  #start = performance.now();

  /** Times count from now on. */
  restart(): void {
    this.#start = performance.now();
  }

  seconds(): number {
    return (performance.now() - this.#start) / 1000;
  }

  heading(text: string): void {
    console.log(`\n== ${text}`);
  }

  line(text: string): void {
    console.log(`${this.seconds().toFixed(2).padStart(7)} s  ${text}`);
  }

  detail(text: string): void {
    for (const line of text.split('\n')) console.log(`           ${line}`);
  }
}
