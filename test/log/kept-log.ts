import { Writable } from 'node:stream';

export type LogLine = Readonly<Record<string, unknown>>;

/** Where a logger can write to, and what it has written. */
export function keptLog() {
  let text = '';
  const stream = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      text += String(chunk);
      done();
    },
  });
  return Object.assign(stream, { text: () => text, lines: () => linesOf(text) });
}

/** Parses every line; throws when one is not an object in JSON. */
export const linesOf = (log: string): LogLine[] =>
  log
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as LogLine);
