import assert from 'node:assert/strict';
import { test } from 'node:test';

import { logLineKinds } from './log-lines.ts';
import { writtenPhrases } from './written-phrases.ts';

test('every line that the code writes is a kind of line that is known, with a level that it may have', async () => {
  const written = await writtenPhrases();
  for (const { file, level, phrase } of written) {
    assert.ok(phrase !== undefined, `${file}: a line without a fixed phrase`);
    const kind = logLineKinds.find((one) => one.phrase === phrase);
    assert.ok(kind !== undefined, `${file}: "${phrase}" is not in the table`);
    assert.ok(
      level === undefined || kind.levels.includes(level as never),
      `${file}: "${phrase}" as ${level}`,
    );
  }
});

test('every kind of line is written somewhere, and each phrase is there once', async () => {
  const written = new Set((await writtenPhrases()).map(({ phrase }) => phrase));
  const phrases = logLineKinds.map(({ phrase }) => phrase);
  assert.deepEqual(
    phrases.filter((phrase) => !written.has(phrase)),
    [],
  );
  assert.equal(new Set(phrases).size, phrases.length);
});
