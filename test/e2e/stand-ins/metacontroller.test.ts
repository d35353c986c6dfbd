import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';

import { metacontrollerBinary } from '../../control-plane/metacontroller-process.ts';
import type { ApplyStrategy } from '../../world/metacontroller/server-side-apply.ts';
import { actNames, recordMetacontroller } from './record-metacontroller.ts';
import { readRecording, type Recording, recordsAnew, writeRecording } from './recording.ts';

/*
 * The stand-in for Metacontroller does what Metacontroller does: the same acts are played before both, at a real API
 * server, and everything that they did is compared. Where there is no binary (METACONTROLLER_BIN), what the real one did
 * is known from the recording; where there is one, the recording is compared with it first.
 */

const binary = metacontrollerBinary();

for (const strategy of ['dynamic-apply', 'server-side-apply'] satisfies ApplyStrategy[]) {
  const name = `metacontroller-${strategy}`;

  describe(`Metacontroller with ${strategy}`, () => {
    let real: Recording;
    let standIn: Recording;
    before(
      async () => {
        assert.ok(!recordsAnew || binary !== undefined, 'RECORD=1 needs METACONTROLLER_BIN');
        real =
          binary === undefined ? await readRecording(name) : await recordMetacontroller(binary, strategy);
        if (recordsAnew) await writeRecording(name, real);
        standIn = await recordMetacontroller(undefined, strategy);
      },
      { timeout: 400_000 },
    );

    for (const act of actNames) {
      it(`is matched by its stand-in: ${act}`, () => assert.deepEqual(standIn[act], real[act]));
      if (binary !== undefined)
        it(`still does what was recorded: ${act}`, async () =>
          assert.deepEqual(real[act], (await readRecording(name))[act]));
    }
  });
}
