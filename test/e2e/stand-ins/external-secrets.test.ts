import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';

import { actNames, recordExternalSecrets } from './record-external-secrets.ts';
import { readRecording, type Recording, recordsAnew, writeRecording } from './recording.ts';

/*
 * The stand-in for External Secrets, without its cleanup finalizer, does what External Secrets v0.16.2 does: the same acts
 * are played before both, at a real API server and a real OpenBao.
 */

/** Acts that end differently, and why no test may lean on the stand-in there. */
const knownDifferences: Readonly<Record<string, string>> = {
  'secret-without-its-labels': 'v0.16.2 does not notice before the next refresh; the stand-in puts them back',
};

describe('External Secrets', () => {
  let real: Recording;
  let standIn: Recording;
  before(
    async () => {
      real = await recordExternalSecrets('real');
      if (recordsAnew) await writeRecording('external-secrets', real);
      standIn = await recordExternalSecrets('stand-in');
    },
    { timeout: 300_000 },
  );

  for (const act of actNames) {
    const why = knownDifferences[act];
    if (why === undefined)
      it(`is matched by its stand-in: ${act}`, () => assert.deepEqual(standIn[act], real[act]));
    else it(`differs from its stand-in: ${act}: ${why}`, () => assert.notDeepEqual(standIn[act], real[act]));
    it(`still does what was recorded: ${act}`, async () =>
      assert.deepEqual(real[act], (await readRecording('external-secrets'))[act]));
  }
});
