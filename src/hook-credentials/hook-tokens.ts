import { Secret } from './secret.ts';

/** Fewer could be guessed; `openssl rand -hex 32` makes 64. */
const shortest = 32;

export type HookTokens = { readonly tokens: readonly Secret[] } | { readonly fault: string };

/**
 * The bearer tokens that the hook accepts: one a line, one line, or two while the token is being replaced. White space
 * around a line and empty lines are dropped. `fault` goes on with the name of where they come from, and repeats nothing.
 */
export function readHookTokens(text: string): HookTokens {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  if (lines.length === 0) return { fault: 'holds no token' };
  if (lines.length > 2) return { fault: 'holds more than two tokens: one, and a second during a rotation' };
  if (!lines.every((line) => /^[\x21-\x7e]+$/.test(line)))
    return { fault: 'holds characters that no token has (only printable ASCII without spaces)' };
  if (lines.some((line) => line.length < shortest))
    return { fault: `holds a token of fewer than ${shortest} characters, which could be guessed` };
  return { tokens: lines.map((line) => new Secret(line)) };
}
