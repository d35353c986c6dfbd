import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { hookCredentials } from '../../src/hook-credentials/hook-credentials.ts';
import { createLogger } from '../../src/log/logger.ts';
import { startIssuer, type Issuer } from '../http/issuer.ts';
import { keptLog } from '../log/kept-log.ts';
import { mountSecret } from '../process/mounted-secret.ts';

let issuer: Issuer;
before(async () => {
  issuer = await startIssuer();
});
after(() => issuer[Symbol.asyncDispose]());

for (const [ttl, lines] of [
  ['335h', 1],
  ['337h', 0],
] as const) {
  test(`a certificate that ends in ${ttl} is worth ${lines} warnings at the start`, async () => {
    const { cert, key } = await issuer.issue('hook', ttl);
    await using secret = await mountSecret({ cert, key });
    const kept = keptLog();
    const credentials = await hookCredentials(
      { tls: { certFile: secret.path('cert'), keyFile: secret.path('key') }, tokens: undefined },
      createLogger('info', kept),
    );
    const expires = new Date(credentials.certificate?.expiresAt ?? 0).toISOString();
    const phrase = 'the certificate of the hook has expired or soon will';
    assert.deepEqual(
      kept.lines().map((line) => [line['level'], line['msg'], line['expires']]),
      Array(lines).fill(['warn', phrase, expires]),
    );
  });
}
