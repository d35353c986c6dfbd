import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';

import { mustRun, type Outcome, runProgram } from './run-program.ts';
import type { ControlPlane } from './control-plane.ts';

/** Helm as cluster admin, with nobody's settings. `values` is what a file of `--values` says. */
export interface Helm {
  /** Gives the standard output. @throws Error with both outputs when it fails */
  ok(args: readonly string[], values?: object): Promise<string>;
  /** Gives what it complains of, on one line. @throws AssertionError when it succeeds */
  refused(args: readonly string[], values?: object): Promise<string>;
  /** @throws Error only when it cannot be run */
  run(args: readonly string[], values?: object): Promise<Outcome>;
}

export function helmOn({ kubeconfig, folder }: ControlPlane): Helm {
  const options = { env: { KUBECONFIG: kubeconfig }, cwd: folder };
  const withFile = async (args: readonly string[], values: object | undefined): Promise<string[]> => {
    if (values === undefined) return [...args];
    const file = `${folder}/values-${randomUUID()}.json`;
    await writeFile(file, JSON.stringify(values), { mode: 0o600 });
    return [...args, '--values', file];
  };
  const run: Helm['run'] = async (args, values) => runProgram('helm', await withFile(args, values), options);
  return {
    run,
    ok: async (args, values) => mustRun('helm', await withFile(args, values), options),
    refused: async (args, values) => {
      const { code, stdout, stderr } = await run(args, values);
      assert.notEqual(code, 0, `it succeeded: ${stdout}`);
      return stderr.trim().replaceAll(/\s+/g, ' ');
    },
  };
}
