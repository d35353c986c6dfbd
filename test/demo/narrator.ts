/** Prints what happens, with the seconds since the start. */
export class Narrator {
  #start = performance.now();
  #silent = false;

  /** Times count from now on. */
  restart(): void {
    this.#start = performance.now();
  }

  /** Says nothing any more: what is cut short would only tell of its own end. */
  silence(): void {
    this.#silent = true;
  }

  seconds(): number {
    return (performance.now() - this.#start) / 1000;
  }

  heading(text: string): void {
    this.#print(`\n== ${text}`);
  }

  line(text: string): void {
    this.#print(`${this.seconds().toFixed(2).padStart(7)} s  ${text}`);
  }

  detail(text: string): void {
    for (const line of text.split('\n')) this.#print(`           ${line}`);
  }

  #print(text: string): void {
    if (!this.#silent) console.log(text);
  }
}
