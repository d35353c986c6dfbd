import { z } from 'zod';

const identified = z.looseObject({
  kind: z.string(),
  metadata: z.looseObject({ name: z.string(), uid: z.string() }),
});

const uid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const time = /\b\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z/g;
const loopback = /https?:\/\/127\.0\.0\.1:\d+/g;

const managers = z.array(
  z.looseObject({ manager: z.string(), operation: z.string(), subresource: z.string().default('') }),
);

/** Puts words in place of what differs from run to run: the same object has the same word everywhere. */
export class Symbols {
  readonly #uids = new Map<string, string>();
  readonly #known = new Map<string, number>();

  /** The value with words in it. What it says of objects is learnt first, so one value may refer to another. */
  apply(value: unknown): unknown {
    this.#learn(value);
    return this.#replace('', value);
  }

  #learn(value: unknown): void {
    if (typeof value !== 'object' || value === null) return;
    const { data } = identified.safeParse(value);
    if (data !== undefined) this.#name(data.kind, data.metadata);
    for (const inner of Object.values(value)) this.#learn(inner);
  }

  #name(kind: string, metadata: { readonly name: string; readonly uid: string }): void {
    if (this.#uids.has(metadata.uid)) return;
    const word = `${kind} ${metadata.name}`;
    const before = this.#known.get(word) ?? 0;
    this.#known.set(word, before + 1);
    this.#uids.set(metadata.uid, before === 0 ? `<uid of ${word}>` : `<uid ${before + 1} of ${word}>`);
  }

  #replace(key: string, value: unknown): unknown {
    if (typeof value === 'string') return key === 'resourceVersion' ? '<version>' : this.#text(value);
    if (typeof value !== 'object' || value === null) return value;
    if (key === 'managedFields') return writersOf(value);
    if (Array.isArray(value)) return value.map((item) => this.#replace('', item));
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [this.#text(name), this.#replace(name, inner)]),
    );
  }

  #text(text: string): string {
    return text
      .replaceAll(uid, (found) => this.#uids.get(found) ?? '<uid of something else>')
      .replaceAll(time, '<time>')
      .replaceAll(loopback, '<address>');
  }
}

/** Who wrote, how and what part of the object. Which fields is left out: the objects show them. */
const writersOf = (value: unknown): string[] =>
  managers
    .parse(value)
    .map(({ manager, operation, subresource }) => `${manager} ${operation} ${subresource}`.trim())
    .sort();
