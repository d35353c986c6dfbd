import { createHash, createHmac, pbkdf2, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';

import { Trouble } from '../errors.ts';
import type { Secret } from '../secret.ts';

const derive = promisify(pbkdf2);

/** PostgreSQL's own default; node-postgres refuses servers that ask for more than 100,000. */
const iterations = 4096;
const saltBytes = 16;

const verifierFormat = /^SCRAM-SHA-256\$4096:[A-Za-z0-9+/]{22}==\$[A-Za-z0-9+/]{43}=:[A-Za-z0-9+/]{43}=$/;

/**
 * Printable ASCII only: for it SASLprep is the identity. Any other character may be normalised differently by the
 * server and by a driver, and then the verifier fits no login.
 */
const plainPassword = /^[\x20-\x7e]{1,256}$/;

/**
 * The verifier that PostgreSQL stores for a password (RFC 5802, `SCRAM-SHA-256$<n>:<salt>$<StoredKey>:<ServerKey>`),
 * made on this side so that the password itself never reaches the server, its logs or `pg_stat_statements`.
 * Throws `CredentialInvalid` for a password that is not 1 to 256 printable ASCII characters.
 */
export async function scramVerifier(password: Secret): Promise<string> {
  if (!plainPassword.test(password.reveal())) {
    throw new Trouble('CredentialInvalid', 'the password is not 1 to 256 printable ASCII characters');
  }
  const salt = randomBytes(saltBytes);
  const salted = await derive(password.reveal(), salt, iterations, 32, 'sha256');
  const storedKey = createHash('sha256').update(mac(salted, 'Client Key')).digest('base64');
  const serverKey = mac(salted, 'Server Key').toString('base64');
  const verifier = `SCRAM-SHA-256$${iterations}:${salt.toString('base64')}$${storedKey}:${serverKey}`;
  // The server takes a malformed verifier for a password in clear text and hashes it: nobody could log in.
  if (!verifierFormat.test(verifier)) throw new Error('the SCRAM verifier is malformed');
  return verifier;
}

const mac = (key: Buffer, message: string): Buffer => createHmac('sha256', key).update(message).digest();
