/** Lets a thing happen once in that many milliseconds: whoever reaches the port could fill the log otherwise. */
export function rarely(milliseconds: number): (happen: () => void) => void {
  let last = Number.NEGATIVE_INFINITY;
  return (happen) => {
    const now = performance.now();
    if (now - last < milliseconds) return;
    last = now;
    happen();
  };
}
