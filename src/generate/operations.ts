import { reasons } from '../domain/reasons.ts';
import { generatedBlock, withBlock } from './generated-block.ts';
import { code, table } from './markdown.ts';

const entries = Object.entries(reasons);

/**
 * `docs/operations.md`, not yet formatted, from its present text. What stands between two comments is generated: the
 * index, and the first lines of each reason's section. Everything else is written by hand and stays. A reason without a
 * section gets one at the end, for somebody to fill in.
 */
export const operations = (current: string): string =>
  entries.reduce((text, [reason, entry]) => withSection(text, reason, summary(entry)), withIndex(current));

const withIndex = (text: string): string =>
  withBlock(
    text,
    'index',
    table(['reason', 'somebody must act', 'meaning'], entries.map(indexRow).toSorted(byName)),
  );

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
  const start = `${heading}\n\n${generatedBlock(reason, content)}\n\n`;
  return place.test(text)
    ? text.replace(place, () => start)
    : `${text.trimEnd()}\n\n${start}TODO: what it looks like, and what to do.\n`;
}
