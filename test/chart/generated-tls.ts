import { z } from 'zod';

import { only, release, type Rendered } from './chart.ts';

const secretShape = z.object({
  metadata: z.object({ annotations: z.record(z.string(), z.string()) }),
  type: z.literal('kubernetes.io/tls'),
  data: z.object({ 'ca.crt': z.string(), 'tls.crt': z.string(), 'tls.key': z.string() }),
});

const decoded = (text: string) => Buffer.from(text, 'base64').toString();

/** The pair that the chart made, as PEM texts. */
export function generatedTls(objects: readonly Rendered[]) {
  const { metadata, data } = secretShape.parse(only(objects, 'Secret', `${release.fullname}-tls`));
  return {
    ca: decoded(data['ca.crt']),
    cert: decoded(data['tls.crt']),
    key: decoded(data['tls.key']),
    /** A day, as in 2030-12-31. */
    renewAfter: metadata.annotations['pgtenancy.io/renew-after'] ?? '',
  };
}
