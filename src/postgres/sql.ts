import { escapeIdentifier, escapeLiteral } from 'pg';

/** What may stand in a `${}`: a value becomes a bind parameter, another `Sql` is spliced in. */
type Part = Sql | string | number | null | readonly string[] | readonly number[];

/**
 * One SQL statement, or a piece of one. Only the `sql` tag makes it and only it is executed, so that no string from
 * outside can become SQL by being concatenated. The private field keeps look-alike objects out.
 */
class Sql {
  readonly #chunks: readonly string[];
  readonly #values: readonly unknown[];

  constructor(chunks: readonly string[], values: readonly unknown[]) {
    this.#chunks = chunks;
    this.#values = values;
  }

  get text(): string {
    return this.#chunks.reduce((text, chunk, index) => `${text}$${index}${chunk}`);
  }

  get values(): readonly unknown[] {
    return this.#values;
  }

  /** The text between the values: one chunk more than there are values. */
  get chunks(): readonly string[] {
    return this.#chunks;
  }
}

export type { Sql };

/**
 * Makes a statement: sql`select ${value}::text, ${sql.id(name)}`. Values become bind parameters; utility statements
 * take none, so there names go through `sql.id` and strings through `sql.literal`.
 */
function tag(strings: TemplateStringsArray, ...parts: readonly Part[]): Sql {
  const chunks = [''];
  const values: unknown[] = [];
  const append = (text: string) => chunks.push(`${chunks.pop() ?? ''}${text}`);
  strings.forEach((text, index) => {
    append(text);
    if (index >= parts.length) return;
    const part = parts[index] ?? null;
    if (!(part instanceof Sql)) {
      values.push(part);
      chunks.push('');
      return;
    }
    const [first = '', ...others] = part.chunks;
    append(first);
    chunks.push(...others);
    values.push(...part.values);
  });
  return new Sql(chunks, values);
}

const join = (parts: readonly Sql[], separator: Sql): Sql =>
  parts.length === 0 ? tag`` : parts.reduce((joined, part) => tag`${joined}${separator}${part}`);

export const sql = Object.assign(tag, {
  /** A quoted identifier. */
  id: (name: string): Sql => new Sql([escapeIdentifier(name)], []),
  /** A quoted string constant, for statements that take no bind parameters. */
  literal: (text: string): Sql => new Sql([escapeLiteral(text)], []),
  /** A whole number written out, for statements that take no bind parameters. */
  integer: (value: number): Sql => {
    if (!Number.isSafeInteger(value)) throw new TypeError('not a whole number');
    return new Sql([String(value)], []);
  },
  join,
});
