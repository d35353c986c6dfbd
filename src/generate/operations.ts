import { reasons } from '../domain/reasons.ts';
import { blocks, code, table } from './markdown.ts';

const entries = Object.entries(reasons);

/**
 * `docs/operations.md`, not yet formatted, from its present text. What stands between two comments is generated: the
 * index, and the first lines of each reason's section. Everything else is written by hand and stays. A reason without a
 * section gets one at the end, for somebody to fill in.
 */
export const operations = (current: string): string =>
  entries.reduce((text, [reason, entry]) => withSection(text, reason, summary(entry)), withIndex(current));

const generated = (name: string, content: string): string =>
  blocks(`<!-- generated: ${name} -->`, content, `<!-- end: ${name} -->`);

const indexPlace = /<!-- generated: index -->[^]*<!-- end: index -->/;

function withIndex(text: string): string {
  if (!indexPlace.test(text)) throw new Error('docs/operations.md has no place for the index of reasons');
  const index = table(['reason', 'somebody must act', 'meaning'], entries.map(indexRow).toSorted(byName));
  return text.replace(indexPlace, () => generated('index', index));
}

const indexRow = ([reason, { meaning, stalled }]: (typeof entries)[number]): string[] => [
  `[${code(reason)}](#${reason.toLowerCase()})`,
  stalled ? '**yes**' : 'no',
  meaning,
];

const byName = ([a = '']: readonly string[], [b = '']: readonly string[]): number => (a < b ? -1 : 1);

const summary = ({ meaning, stalled }: (typeof entries)[number][1]): string =>
  `> ${meaning} ${stalled ? '**Somebody must act.**' : 'Goes on by itself.'}`;

function withSection(text: string, reason: string, content: string): string {
  const heading = `### ${reason}`;
  const place = new RegExp(
    `^${heading}\\n+(?:<!-- generated: ${reason} -->[^]*?<!-- end: ${reason} -->\\n+)?`,
    'm',
  );
  const start = `${heading}\n\n${generated(reason, content)}\n\n`;
  return place.test(text)
    ? text.replace(place, () => start)
    : `${text.trimEnd()}\n\n${start}TODO: what it looks like, and what to do.\n`;
}
