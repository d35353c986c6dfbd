import { isMap, isScalar, parseDocument, type Node, type Pair, type YAMLMap } from 'yaml';

/** One value that may be set, as its comment `# -- (type) meaning` describes it; `(type)` only where the default says less. */
export interface ChartValue {
  /** With dots, e.g. `hook.tls.source`. */
  readonly key: string;
  readonly type: string;
  readonly value: unknown;
  readonly meaning: string;
}

/** All values of a values.yaml, in its order. A map with a comment is one value. Throws when one has no comment, as it
 * seems to be after a value that is left out: `null` has to be written. */
export function chartValues(text: string): ChartValue[] {
  const { contents } = parseDocument(text);
  if (!isMap(contents)) throw new Error('the values are no map');
  return valuesIn(contents, '');
}

const valuesIn = (map: YAMLMap, prefix: string): ChartValue[] =>
  map.items.flatMap((item, index) => {
    const key = `${prefix}${nameOf(item)}`;
    const comment = commentOf(map, index);
    if (comment !== undefined) return [described(key, item.value, comment)];
    if (isMap(item.value) && item.value.items.length > 0) return valuesIn(item.value, `${key}.`);
    throw new Error(`${key} has no comment that begins with \`# --\``);
  });

const nameOf = ({ key }: Pair): string => (isScalar(key) ? String(key.value) : '');

/** The one before the first item belongs to the map, as the parser sees it. */
function commentOf(map: YAMLMap, index: number): string | undefined {
  const key = map.items[index]?.key;
  const comment =
    (isScalar(key) ? key.commentBefore : undefined) ?? (index === 0 ? map.commentBefore : undefined);
  return comment?.trimStart().startsWith('-- ') === true ? comment : undefined;
}

function described(key: string, node: unknown, comment: string): ChartValue {
  const text = comment.replaceAll(/\s+/g, ' ').trim();
  const [, type, meaning = ''] = /^-- (?:\(([^)]+)\) )?(.+)$/.exec(text) ?? [];
  const value = (node as Node | null)?.toJSON() as unknown;
  return { key, type: type ?? typeOf(key, value), value: value ?? null, meaning };
}

function typeOf(key: string, value: unknown): string {
  if (Array.isArray(value)) return 'list';
  if (typeof value === 'number') return 'int';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'string') return 'string';
  if (typeof value === 'object' && value !== null) return 'object';
  throw new Error(`the comment of ${key} has to say its type`);
}
