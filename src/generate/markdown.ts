/** A GitHub table. Cells may hold inline Markdown; an empty one is written as a dash. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(cell).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

const cell = (text: string): string => (text === '' ? '-' : text.replaceAll('|', '\\|'));

export const code = (text: string): string => `\`${text}\``;

export const fenced = (language: string, text: string): string =>
  `\`\`\`${language}\n${text.trimEnd()}\n\`\`\``;

/** Blocks with an empty line between them. */
export const blocks = (...parts: readonly string[]): string => parts.join('\n\n');
