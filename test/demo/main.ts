import { ApiError } from '../world/kubernetes/client.ts';
import { startWorld, type World } from '../world/world.ts';
import { endOnSignals } from './endings.ts';
import { refuseSecondKept, removeKept } from './kept-file.ts';
import { Narrator } from './narrator.ts';
import { readOptions, usage } from './options.ts';
import { play } from './play.ts';
import { quickstart } from './quickstart.ts';
import { readObjects } from './read-objects.ts';
import { tellAct } from './tell-acts.ts';
import { Unusable } from './unusable.ts';

/*
 * The main job on this machine: real PostgreSQL and real OpenBao, stand-ins for Kubernetes, Metacontroller and
 * External Secrets, and the operator as its own process. `--keep` leaves it running; files replace the team's YAML.
 */

const ending = endOnSignals();
const narrator = new Narrator();
const watching = new AbortController();
let world: World | undefined;
let kept = false;
let code = 0;
try {
  await demo();
} catch (error) {
  code = 1;
  if (!ending.signal.aborted) tellFailure(error);
}
watching.abort();
if (ending.signal.aborted) narrator.heading('Ending everything that was started');
narrator.silence();
try {
  await world?.close();
  await removeKept();
} catch (error) {
  code = 1;
  console.error(error);
}
// What was interrupted may still be waiting for something.
process.exit(ending.signal.aborted ? Number(ending.signal.reason) : code);

async function demo(): Promise<void> {
  const { keep, help, files } = readOptions(process.argv.slice(2));
  if (help) {
    console.log(usage);
    return;
  }
  if (keep) await refuseSecondKept();
  const platform = await readObjects([quickstart('platform.yaml')]);
  const team = await readObjects(files.length === 0 ? [quickstart('team.yaml')] : files);
  narrator.heading('Starting the world (PostgreSQL, OpenBao and the stand-ins; a few seconds)');
  world = await startWorld({
    signal: ending.signal,
    onStep: (what) => narrator.line(what),
    onHookLine: (line) => {
      if (kept) tellAct(line, narrator);
    },
  });
  const options = { isQuickstart: files.length === 0, keep, onKept: () => (kept = true) };
  const playing = play({ world, narrator, signal: watching.signal, platform, team, ...options });
  await Promise.race([playing, ending.asked]);
}

function tellFailure(error: unknown): void {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof Unusable) console.error(message);
  else if (error instanceof ApiError) console.error(`\nThe API server refused: ${message}`);
  else console.error(`\n${message}`);
}
