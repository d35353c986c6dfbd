import { readFileSync } from 'node:fs';

import { z } from 'zod';

/** The operator's version, from package.json. Throws when that is not there: it belongs into every image. */
export const readVersion = (): string =>
  z
    .object({ version: z.string() })
    .parse(JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))).version;
