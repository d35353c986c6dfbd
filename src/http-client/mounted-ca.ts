import type { Agent } from 'node:https';

import { readBundle } from '../pem.ts';
import { createHttpsAgent } from './https-agent.ts';
import { mountedFile } from './mounted-file.ts';

interface Options {
  /** PEM bundle that stays; `caFile` wins over it. Without either the system's roots count. */
  readonly ca?: string | undefined;
  /** PEM bundle in a file, read again every minute. */
  readonly caFile?: string | undefined;
  /** Milliseconds that only grow. */
  readonly clock: () => number;
}

const fileAgeMs = 60_000;

/**
 * The agent for connections that trust the bundle; it stays as long as the bundle does, and its sockets with it. A file
 * that cannot be used any more does not take away the trust in the last bundle; undefined when there was none before.
 */
export const mountedCa = ({ ca, caFile, clock }: Options): (() => Promise<Agent | undefined>) => {
  if (caFile === undefined) {
    const agent = createHttpsAgent(ca);
    return () => Promise.resolve(agent);
  }
  const file = mountedFile(caFile, {
    maxAgeMs: fileAgeMs,
    clock,
    usable: (pem) => readBundle(pem).kind === 'whole',
  });
  let current: { readonly pem: string; readonly agent: Agent } | undefined;
  return async () => {
    const pem = await file.text();
    if (current?.pem === pem || pem === '') return current?.agent;
    // The old agent is left alone: its sockets may be in use, and idle ones close by themselves.
    current = { pem, agent: createHttpsAgent(pem) };
    return current.agent;
  };
};
