import { isHeaderToken } from '../http-client/header-token.ts';
import { Secret } from '../secret.ts';
import type { Reading } from './watched-files.ts';

/** Fewer could be guessed; `openssl rand -hex 32` makes 64. */
const shortest = 32;
/** Of 32 random hexadecimal digits less than one in ten million has so few. */
const fewestDifferent = 6;

/**
 * The bearer tokens that the hook accepts: one a line, one line, or two while the token is being replaced. White space
 * around a line and empty lines are dropped. `fault` goes on with the name of where they come from, and repeats nothing.
 */
export function readHookTokens(text: string): Reading<readonly Secret[]> {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  if (lines.length === 0) return { fault: 'holds no token' };
  if (lines.length > 2) return { fault: 'holds more than two tokens: one, and a second during a rotation' };
  if (!lines.every(isHeaderToken))
    return { fault: 'holds characters that no token has (only printable ASCII without spaces)' };
  if (lines.some((line) => line.length < shortest))
    return { fault: `holds a token of fewer than ${shortest} characters, which could be guessed` };
  if (lines.some((line) => new Set(line).size < fewestDifferent))
    return { fault: 'holds a token that repeats a few characters, which could be guessed' };
  if (new Set(lines).size < lines.length)
    return { fault: 'holds the same token twice: the second is for another one' };
  return { value: lines.map((line) => new Secret(line)) };
}
