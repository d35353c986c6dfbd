import { readFile } from 'node:fs/promises';

/** A fenced block of a page of documentation. */
export interface Block {
  /** Of the section that it stands in. */
  readonly heading: string;
  /** Behind the fence: `sh` is for a terminal. */
  readonly language: string;
  /** Without the indentation of the list that it may stand in. */
  readonly text: string;
  /** Line of its opening fence. */
  readonly line: number;
}

export async function blocksOf(path: string): Promise<Block[]> {
  const text = await readFile(new URL(`../../../${path}`, import.meta.url), 'utf8');
  const fence = /^( *)```(\w*)\n([\s\S]*?)^\1```$/gm;
  return [...text.matchAll(fence)].map(({ 1: indent = '', 2: language = '', 3: body = '', index }) => ({
    heading: headingBefore(text, index),
    language,
    text: body.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    line: text.slice(0, index).split('\n').length,
  }));
}

/** A line that begins with `#` may also be a comment in a block. */
function headingBefore(text: string, index: number): string {
  const prose = text.slice(0, index).replaceAll(/^( *)```\w*\n[\s\S]*?^\1```$/gm, '');
  return [...prose.matchAll(/^##+ (.*)$/gm)].at(-1)?.[1] ?? '';
}
