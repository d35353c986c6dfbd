import { parseArgs } from 'node:util';

import { Unusable } from './unusable.ts';

export const usage = `npm run demo [-- [--keep] [FILE...]]
  FILE    YAML of your own Tenants (and Instances), in place of the quickstart's
  --keep  leave everything running until Ctrl-C, and say how to look at it and how to disturb it
  --help  this text
The first -- is npm's: what stands behind it reaches the demo.`;

interface Options {
  readonly keep: boolean;
  readonly help: boolean;
  readonly files: readonly string[];
}

/** @throws Unusable for an option that there is not */
export function readOptions(args: readonly string[]): Options {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: {
        keep: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
      allowPositionals: true,
    });
    return { ...values, files: positionals };
  } catch {
    const unknown = args.find((arg) => arg.startsWith('-') && !['--keep', '--help', '-h'].includes(arg));
    throw new Unusable(`there is no option ${unknown ?? args.join(' ')}; --help tells which there are`);
  }
}
