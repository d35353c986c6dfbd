import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { after, before, test } from 'node:test';

import { readHookCertificate } from '../../src/hook-credentials/hook-certificate.ts';
import { startIssuer, type Issuer } from '../http/issuer.ts';
import type { Certificate } from '../world/servers/pki.ts';

let issuer: Issuer;
let one: Certificate;
let other: Certificate;
before(async () => {
  issuer = await startIssuer();
  [one, other] = [await issuer.issue('one'), await issuer.issue('other')];
});
after(() => issuer[Symbol.asyncDispose]());

test('a certificate and its key are taken, with those between it and the CA, or with text around it', () => {
  const [leaf, ca] = [one.cert.trim(), issuer.ca.trim()];
  const expiresAt = Date.parse(new X509Certificate(leaf).validTo);
  for (const [text, cert] of [
    [leaf, `${leaf}\n`],
    [`${leaf}\n${ca}\n`, `${leaf}\n${ca}\n`],
    [`${leaf}${ca}`, `${leaf}\n${ca}\n`],
    [`subject=one\n${leaf}`, `${leaf}\n`],
  ] as const)
    assert.deepEqual(readHookCertificate(text, one.key), { value: { cert, key: one.key, expiresAt } });
});

const unusable: [sentence: string, pair: () => [cert: string, key: string], fault: RegExp][] = [
  ['no text at all', () => ['', ''], /certificate cannot be read/],
  ['a certificate without a key', () => [one.cert, ''], /private key cannot be read/],
  ['a key without a certificate', () => ['', one.key], /certificate cannot be read/],
  ['the two the wrong way round', () => [one.key, one.cert], /certificate cannot be read/],
  ['the key of another one', () => [one.cert, other.key], /not that of the certificate/],
  ['the CA in front', () => [`${issuer.ca}\n${one.cert}`, one.key], /not that of the certificate/],
  ['half a certificate', () => [one.cert.slice(0, 200), one.key], /certificate cannot be read/],
  ['half a key', () => [one.cert, one.key.slice(0, 60)], /private key cannot be read/],
  [
    'a chain whose end is broken',
    () => [`${one.cert}\n-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----`, one.key],
    /certificate cannot be read/,
  ],
];

for (const [sentence, pair, fault] of unusable) {
  test(`${sentence} cannot be used, and nothing of it is repeated`, () => {
    const reading = readHookCertificate(...pair());
    assert.ok('fault' in reading);
    assert.match(reading.fault, fault);
    assert.doesNotMatch(reading.fault, /BEGIN|AAAA/);
  });
}
