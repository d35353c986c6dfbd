import { randomInt } from 'node:crypto';

import { Secret } from '../secret.ts';

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** Letters and digits need no quoting anywhere: not in URIs, not in pgpass, not in SASLprep. 40 of them: 238 bits. */
const length = 40;

/** A new password from the system's CSPRNG; `randomInt` is unbiased. */
export const newPassword = (): Secret =>
  new Secret(Array.from({ length }, () => alphabet.charAt(randomInt(alphabet.length))).join(''));
