import { Agent } from 'node:https';

import { certificateBlocks } from '../pem.ts';
import { keepAlive } from './keep-alive.ts';

/**
 * `ca`: a PEM bundle; without it the system's roots count. One by one, because OpenSSL overlooks a certificate that begins
 * in the middle of a line.
 */
export const createHttpsAgent = (ca: string | undefined): Agent =>
  new Agent({
    ...keepAlive,
    minVersion: 'TLSv1.2',
    rejectUnauthorized: true,
    ...(ca === undefined ? {} : { ca: [...certificateBlocks(ca)] }),
  });
