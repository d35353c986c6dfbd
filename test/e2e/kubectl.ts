import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';

import { mustRun, type Outcome, runProgram } from '../control-plane/run-program.ts';
import { waitFor } from '../world/servers/wait-for.ts';

interface Input {
  /** What `-f -` reads. */
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** kubectl, as a person types it. */
export interface Kubectl {
  /** Gives the standard output. @throws Error with both outputs when it fails */
  ok(command: string, input?: Input): Promise<string>;
  /** Gives what it complains of, on one line. @throws AssertionError when it succeeds */
  refused(command: string, input?: Input): Promise<string>;
  /** The table of a `get`. */
  table(command: string): Promise<Row[]>;
  /** Waits until the table is this one. */
  untilTable(command: string, rows: readonly Row[]): Promise<void>;
}

/** Cells by their column. */
export type Row = Readonly<Record<string, string>>;

/** @param kubeconfig undefined where no real API server takes part */
export function kubectlWith(kubeconfig: string | undefined): Kubectl {
  if (kubeconfig === undefined) throw new Error('kubectl needs the real API server: WORLD_PARTS=real');
  const options = ({ input, env }: Input = {}) => ({
    env: { KUBECONFIG: kubeconfig, ...env },
    ...(input === undefined ? {} : { input }),
  });
  const ok = (command: string, input?: Input): Promise<string> =>
    mustRun('kubectl', wordsOf(command), options(input));
  const table = async (command: string): Promise<Row[]> => rowsOf(await ok(command));
  return {
    ...{ ok, table },
    refused: async (command, input) =>
      complaintOf(await runProgram('kubectl', wordsOf(command), options(input))),
    untilTable: async (command, rows) => {
      let last: Row[] = [];
      await waitFor(
        `kubectl ${command} to show ${JSON.stringify(rows)}`,
        async () => isDeepStrictEqual((last = await table(command)), rows),
        { timeoutMs: 30_000, everyMs: 200 },
      ).catch(() => assert.deepEqual(last, rows));
    },
  };
}

/** What stands between single quotes is one word. */
const wordsOf = (command: string): string[] =>
  [...command.matchAll(/'([^']*)'|\S+/g)].map(([word, quoted]) => quoted ?? word);

function complaintOf({ code, stdout, stderr }: Outcome): string {
  assert.notEqual(code, 0, `it succeeded: ${stdout}`);
  return stderr.trim().replaceAll(/\s+/g, ' ');
}

/** A column begins where its title does. */
function rowsOf(output: string): Row[] {
  const [header = '', ...lines] = output.split('\n').filter((line) => line !== '');
  const columns = [...header.matchAll(/\S+(?: \S+)*/g)].map(({ 0: title, index }) => ({ title, index }));
  return lines.map((line) =>
    Object.fromEntries(
      columns.map(({ title, index }, at) => [title, line.slice(index, columns[at + 1]?.index).trim()]),
    ),
  );
}
