import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { reasons } from '../../src/domain/reasons.ts';
import { operations } from '../../src/generate/operations.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const text = await readFile(join(root, 'docs/operations.md'), 'utf8');
const known = Object.keys(reasons);

/** A section from its heading to the next one, without what is generated in it. */
function sectionsOf(page: string): Map<string, string> {
  const chapter = page.slice(page.indexOf('\n## Reasons\n'));
  const parts = chapter.split(/^### (?=[A-Z])/m).slice(1);
  return new Map(
    parts.map((part) => {
      const [heading = '', ...lines] = part.split('\n');
      const below = lines.join('\n').split(/^#{1,3} /m)[0] ?? '';
      return [heading.trim(), below.replaceAll(/<!-- generated: [^]*?<!-- end: \S+ -->/g, '').trim()];
    }),
  );
}

const sections = sectionsOf(text);

test('every reason has exactly one section, and no section is for another reason', () => {
  assert.deepEqual([...sections.keys()].sort(), [...known].sort());
  assert.equal(text.match(/^### [A-Z]\w+$/gm)?.length, known.length);
});

test('every section was written by somebody, and says what to do', () => {
  for (const [reason, advice] of sections) {
    assert.doesNotMatch(advice, /\bTODO\b/, reason);
    assert.ok(advice.length > 80, `${reason}: ${advice}`);
    assert.match(advice, /\*\*Do\*\*/, reason);
  }
});

test('where somebody must act the section says who, shows a message, and says what follows', () => {
  for (const [reason, { stalled }] of Object.entries(reasons)) {
    const advice = sections.get(reason) ?? '';
    if (!stalled) continue;
    assert.match(advice, /\*\*Says\*\*:? `/, reason);
    assert.match(advice, /\*\*Do\*\* \((?:[a-z ,]|DBA|OpenBao)+\):/, reason);
    assert.match(advice, /\*\*Then\*\*/, reason);
  }
});

/** Clauses, because the code puts some messages together; shorter ones are found anywhere. */
const fragmentsOf = (message: string): string[] =>
  message
    .replaceAll(/\s+/g, ' ')
    .split(/<[^>]+>|\.\.\.|pgtenancy\.io\/confirm=|[;:,()"]|\. /)
    .map((part) => part.trim())
    .filter((part) => part.length >= 8);

/** Template literals and constants as they are written in the source. */
async function source(): Promise<string> {
  const files = (await readdir(join(root, 'src'), { recursive: true })).filter(
    (name) => name.endsWith('.ts') && !name.startsWith('generate'),
  );
  const texts = await Promise.all(files.map((name) => readFile(join(root, 'src', name), 'utf8')));
  return texts.join('\n');
}

test('every message that is shown is one of the code; <...> stands for a name, ... for the rest', async () => {
  const code = await source();
  const strange = Array.from(sections).flatMap(([reason, advice]) =>
    Array.from(advice.matchAll(/\*\*Says\*\*:? `([^`]+)`/g), ([, message = '']) => fragmentsOf(message))
      .flatMap((fragments) => (fragments.length === 0 ? ['(nothing)'] : fragments))
      .filter((part) => !code.includes(part))
      .map((part) => `${reason}: ${part}`),
  );
  assert.deepEqual(strange, []);
});

test('every link to a section or to a file leads somewhere', async () => {
  const anchors = new Set(
    Array.from(text.matchAll(/^#+ (.+)$/gm), ([, title = '']) =>
      title
        .toLowerCase()
        .replaceAll(/[^\w\- ]/g, '')
        .replaceAll(' ', '-'),
    ),
  );
  const docs = await readdir(join(root, 'docs'));
  for (const [, target = ''] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
    if (target.startsWith('#')) assert.ok(anchors.has(target.slice(1)), target);
    else if (!target.includes('/')) assert.ok(docs.includes(target.split('#')[0] ?? ''), target);
  }
});

const skeleton = '# Operations\n\n<!-- generated: index -->\n<!-- end: index -->\n\n## Reasons\n';

test('a page without sections gets one for each reason, which then waits for its text', () => {
  const made = sectionsOf(operations(skeleton));
  assert.deepEqual([...made.keys()].sort(), [...known].sort());
  for (const advice of made.values()) assert.match(advice, /^TODO/);
});

test('what was written by hand survives, in its order and with its neighbours', () => {
  const [first = '', second = ''] = known;
  const page = `${skeleton}\n### ${second}\n\nby hand 2\n\n#### more\n\n## Between\n\n### ${first}\n\nby hand 1\n`;
  const once = operations(page);
  assert.equal(operations(once), once);
  const made = sectionsOf(once);
  assert.deepEqual([...made.keys()].slice(0, 2), [second, first]);
  assert.match(made.get(second) ?? '', /^by hand 2\n\n#### more$/);
  assert.match(once, /## Between/);
});

test('the index links every reason, in the order of the alphabet', () => {
  const rows = Array.from(text.matchAll(/^\| \[`(\w+)`\]\(#(\w+)\)/gm), ([, name = '', anchor]) => {
    assert.equal(anchor, name.toLowerCase());
    return name;
  });
  assert.deepEqual(rows, [...known].sort());
});
