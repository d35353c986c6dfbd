import { Agent } from 'node:https';

import { keepAlive } from './keep-alive.ts';

/** `ca`: a PEM bundle; without it the system's roots count. */
export const createHttpsAgent = (ca: string | undefined): Agent =>
  new Agent({
    ...keepAlive,
    minVersion: 'TLSv1.2',
    rejectUnauthorized: true,
    ...(ca === undefined ? {} : { ca }),
  });
