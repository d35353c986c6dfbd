import assert from 'node:assert/strict';
import { createHash, createHmac, pbkdf2Sync } from 'node:crypto';
import { describe, it } from 'node:test';

import { scramVerifier } from '../../src/postgres/scram.ts';
import { Secret } from '../../src/secret.ts';

/** RFC 5802, section 3, written down a second time. */
function expected(password: string, salt: Buffer): string {
  const salted = pbkdf2Sync(password, salt, 4096, 32, 'sha256');
  const clientKey = createHmac('sha256', salted).update('Client Key').digest();
  const serverKey = createHmac('sha256', salted).update('Server Key').digest('base64');
  return `${createHash('sha256').update(clientKey).digest('base64')}:${serverKey}`;
}

describe('a SCRAM verifier', () => {
  it('holds salt, stored key and server key in the form that PostgreSQL stores', async () => {
    const verifier = await scramVerifier(new Secret('pencil'));
    const match = /^SCRAM-SHA-256\$4096:([^$]{24})\$(.{44}:.{44})$/.exec(verifier);
    assert.ok(match);
    assert.equal(match[2], expected('pencil', Buffer.from(match[1]!, 'base64')));
  });

  it('is another one each time', async () => {
    const password = new Secret('pencil');
    assert.notEqual(await scramVerifier(password), await scramVerifier(password));
  });

  for (const [what, password] of [
    ['an empty password', ''],
    ['a trailing newline', 'pencil\n'],
    ['a letter that SASLprep may change', 'Ａ'],
    ['a password of endless length', 'x'.repeat(257)],
  ] as const) {
    it(`is refused for ${what}, without telling the password`, async () => {
      await assert.rejects(scramVerifier(new Secret(password)), {
        reason: 'CredentialInvalid',
        message: 'the password is not 1 to 256 printable ASCII characters',
      });
    });
  }
});
