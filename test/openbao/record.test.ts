import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import { test } from 'node:test';

import { parseRecord, recordDataOf } from '../../src/openbao/record.ts';
import { Secret } from '../../src/secret.ts';
import { exampleCredential, exampleRecord, passwordCanary } from './example.ts';

test('the record is whole: an application needs nothing else', () => {
  assert.deepEqual(recordDataOf(exampleCredential()), {
    ...exampleRecord,
    password: passwordCanary,
    uri: `postgresql://shop_orders:${passwordCanary}@db.example.com:5432/shop_orders?sslmode=verify-full&hostaddr=192.0.2.7`,
  });
});

test('what the Instance does not have is left out and reads back as an empty string', () => {
  const credential = exampleCredential({ hostaddr: '', certificates: '', rotation: '' });
  const data = recordDataOf(credential);
  for (const key of ['hostaddr', 'certificates', 'rotation']) assert.ok(!(key in data), key);
  assert.doesNotMatch(data['uri']!, /hostaddr/);
  assert.deepEqual(parseRecord(data)?.record, credential.record);
});

for (const record of [
  { username: 'o\'"brien', database: 'a b/c?d#e%f&g=h+i@j:k' },
  { username: 'é', database: 'ünï' },
  { host: '2001:db8::1', hostaddr: '2001:db8::1' },
  { rotation: '"; drop --' },
]) {
  test(`a record with ${inspect(record)} reads back as it was written, from its fields as from its uri`, () => {
    const credential = exampleCredential(record);
    const data = recordDataOf(credential);
    const back = parseRecord(data);
    assert.deepEqual(back?.record, credential.record);
    assert.equal(back.password.reveal(), passwordCanary);
    const url = new URL(data['uri']!);
    assert.equal(decodeURIComponent(url.username), credential.record.username);
    assert.equal(decodeURIComponent(url.pathname), `/${credential.record.database}`);
    assert.equal(url.searchParams.get('sslmode'), 'verify-full');
    assert.equal(url.searchParams.get('hostaddr'), credential.record.hostaddr);
  });
}

const whole = recordDataOf(exampleCredential());
const withUri = (change: (url: URL) => void): string => {
  const url = new URL(whole['uri']!);
  change(url);
  return url.href;
};

for (const [what, data] of Object.entries<unknown>({
  nothing: null,
  'no object': 'x',
  'an empty object': {},
  'a foreign object': { username: 'a', password: 'b' },
  'a missing password': { ...whole, password: undefined },
  'a short password': { ...whole, password: 'a'.repeat(31) },
  'a password with other characters': { ...whole, password: `${passwordCanary}!` },
  'another provider': { ...whole, provider: 'somebody' },
  'a port that is a number': { ...whole, port: 5432 },
  'an unknown sslmode': { ...whole, sslmode: 'prefer' },
  'no uri': { ...whole, uri: undefined },
  'a uri that is none': { ...whole, uri: 'hello' },
  'a uri of another kind': { ...whole, uri: whole['uri']!.replace('postgresql:', 'mysql:') },
  'a uri with another password': { ...whole, uri: withUri((url) => void (url.password = 'x'.repeat(32))) },
  'a uri with another host': { ...whole, uri: withUri((url) => void (url.hostname = 'evil.example.com')) },
  'a uri with another port': { ...whole, uri: withUri((url) => void (url.port = '1')) },
  'a uri with another database': { ...whole, uri: withUri((url) => void (url.pathname = '/other')) },
  'a uri with another user': { ...whole, uri: withUri((url) => void (url.username = 'other')) },
  'a uri with broken encoding': { ...whole, uri: whole['uri']!.replace('/shop_orders', '/%zz') },
})) {
  test(`${what} is not a whole record`, () => {
    assert.equal(parseRecord(data), null);
  });
}

test('keys and uri parameters that we do not know do no harm', () => {
  const data = {
    ...whole,
    note: 'by hand',
    uri: withUri((url) => url.searchParams.set('connect_timeout', '3')),
  };
  assert.deepEqual(parseRecord(data)?.record, exampleRecord);
});

test('what could not be read back is not written, and the error does not show it', () => {
  const short = 'CANARYshort';
  const broken = { ...exampleCredential(), password: new Secret(short) };
  assert.throws(
    () => recordDataOf(broken),
    (error: unknown) => error instanceof Error && !inspect(error, { depth: null }).includes(short),
  );
});
