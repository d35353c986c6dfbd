import { readdir, readFile } from 'node:fs/promises';

import ts from 'typescript';

const folder = new URL('../../src/', import.meta.url);

export interface WrittenPhrase {
  readonly file: string;
  /** Undefined: chosen when the line is written. */
  readonly level: string | undefined;
  /** Undefined: not a plain text, which it must be. */
  readonly phrase: string | undefined;
}

/** Every call of a logger in src: found in the syntax, so that none hides behind a line break. */
export async function writtenPhrases(): Promise<WrittenPhrase[]> {
  const files = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.ts'));
  const found = await Promise.all(
    files.map(async (file) => phrasesIn(file, await readFile(new URL(file, folder), 'utf8'))),
  );
  return found.flat();
}

function phrasesIn(file: string, text: string): WrittenPhrase[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const found: WrittenPhrase[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node)) {
      const call = loggerCall(node.expression);
      const last = node.arguments.at(-1);
      if (call !== undefined) {
        const phrase = last !== undefined && ts.isStringLiteral(last) ? last.text : undefined;
        found.push({ file, level: call.level, phrase });
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

const levels = new Set(['trace', 'debug', 'info', 'warn', 'error', 'fatal']);

/** `logger.warn`, `request.log.warn`, `this.#logger.warn`, `logger[level]`. */
function loggerCall(callee: ts.Expression): { level: string | undefined } | undefined {
  if (ts.isPropertyAccessExpression(callee)) {
    const level = callee.name.text;
    return levels.has(level) && isLogger(callee.expression) ? { level } : undefined;
  }
  if (ts.isElementAccessExpression(callee) && isLogger(callee.expression)) return { level: undefined };
  return undefined;
}

const isLogger = (expression: ts.Expression): boolean => /(?:^|[.#])log(?:ger)?$/.test(expression.getText());
