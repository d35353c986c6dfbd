import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { DatabaseError } from 'pg';

import type { Reason } from '../../src/domain/reasons.ts';
import { Trouble } from '../../src/errors.ts';
import { translated } from '../../src/postgres/errors.ts';

function fromServer(code: string, message = 'primary message'): DatabaseError {
  const error = new DatabaseError(message, message.length, 'error');
  return Object.assign(error, { code, detail: 'Failing row contains (canary)', internalQuery: 'canary' });
}

const fromNode = (code: string) => Object.assign(new Error(`connect ${code} 10.0.0.1:41234`), { code });

function troubleOf(error: unknown, stage?: 'connect'): Trouble {
  const trouble = translated(error, stage);
  assert.ok(trouble instanceof Trouble);
  return trouble;
}

describe('an error of PostgreSQL', () => {
  const statement: readonly (readonly [string, Reason])[] = [
    ['55P03', 'Busy'],
    ['40P01', 'Busy'],
    ['40001', 'Busy'],
    ['57P01', 'InstanceUnreachable'],
    ['57P03', 'InstanceUnreachable'],
    ['53300', 'InstanceUnreachable'],
    ['25006', 'StandbyDetected'],
    ['42501', 'PermissionDenied'],
    ['42P01', 'RegistryMissing'],
    ['23514', 'NameInvalid'],
    ['42939', 'NameReserved'],
    ['57014', 'ServerError'],
    ['XX000', 'ServerError'],
    ['99999', 'ServerError'],
  ];
  for (const [code, reason] of statement) {
    it(`${code} in a statement means ${reason}`, () => {
      const trouble = troubleOf(fromServer(code));
      assert.equal(trouble.reason, reason);
      assert.equal(trouble.retryAfterSeconds !== undefined, reason === 'Busy');
      assert.doesNotMatch(trouble.message, /canary/);
    });
  }

  const connect: readonly (readonly [string, Reason])[] = [
    ['28P01', 'AuthenticationFailed'],
    ['28000', 'AuthenticationFailed'],
    ['42501', 'PermissionDenied'],
    ['08P01', 'PoolerDetected'],
    ['57P03', 'InstanceUnreachable'],
  ];
  for (const [code, reason] of connect) {
    it(`${code} while connecting means ${reason}`, () => {
      assert.equal(troubleOf(fromServer(code), 'connect').reason, reason);
    });
  }

  it('keeps code and primary message where nothing better is known', () => {
    assert.equal(
      troubleOf(fromServer('58030', 'could not write')).message,
      'PostgreSQL says 58030: could not write; it is tried again, and the log of the server tells the database administrator more',
    );
  });

  it('is only Busy when two sessions changed the same catalog row', () => {
    assert.equal(troubleOf(fromServer('XX000', 'tuple concurrently updated')).reason, 'Busy');
    assert.equal(troubleOf(fromServer('XX000', 'tuple concurrently deleted')).reason, 'Busy');
  });

  it('is Busy for the same clash on a server that speaks another language', () => {
    for (const routine of ['simple_heap_update', 'simple_heap_delete', 'DropRole']) {
      const error = Object.assign(fromServer('XX000', 'Tupel gleichzeitig aktualisiert'), { routine });
      assert.equal(troubleOf(error).reason, 'Busy');
    }
    const other = Object.assign(fromServer('XX000', 'Zwischenspeicher kaputt'), { routine: 'btree_check' });
    assert.equal(troubleOf(other).reason, 'ServerError');
  });

  it('never repeats the address that pg_hba.conf was searched for', () => {
    const message = 'no pg_hba.conf entry for host "10.1.2.3", user "x", database "y", no encryption';
    assert.doesNotMatch(troubleOf(fromServer('28000', message), 'connect').message, /10\.1\.2\.3/);
  });
});

describe('an error of the network or of TLS', () => {
  const table: readonly (readonly [string, Reason])[] = [
    ['ECONNREFUSED', 'InstanceUnreachable'],
    ['ENOTFOUND', 'InstanceUnreachable'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'CertificateSANMissing'],
    ['SELF_SIGNED_CERT_IN_CHAIN', 'TLSVerificationFailed'],
    ['CERT_HAS_EXPIRED', 'TLSVerificationFailed'],
    ['ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION', 'TLSVerificationFailed'],
    ['AUTH_CLEARTEXT', 'InsecureAuthentication'],
    ['AUTH_MD5', 'InsecureAuthentication'],
  ];
  for (const [code, reason] of table) {
    it(`${code} means ${reason}, said without address and port`, () => {
      const trouble = troubleOf(fromNode(code));
      assert.equal(trouble.reason, reason);
      assert.doesNotMatch(trouble.message, /10\.0\.0\.1|41234/);
    });
  }

  it('names the host that a certificate does not hold', () => {
    const { message } = troubleOf(
      Object.assign(fromNode('ERR_TLS_CERT_ALTNAME_INVALID'), { host: 'db.example.com' }),
    );
    assert.match(message, /does not hold the host name "db\.example\.com"/);
  });

  it('tells to look at the address where something else than PostgreSQL may answer', () => {
    const { reason, message } = troubleOf(new Error('There was an error establishing an SSL connection'));
    assert.equal(reason, 'InstanceUnreachable');
    assert.match(message, /or no PostgreSQL answers .*check spec\.host, spec\.hostAddress and spec\.port$/);
  });

  it('may come from pg as a text without a code', () => {
    assert.equal(troubleOf(new Error('timeout expired')).reason, 'InstanceUnreachable');
    assert.equal(troubleOf(new Error('Query read timeout')).reason, 'InstanceUnreachable');
    assert.equal(troubleOf(new Error('Connection terminated unexpectedly')).reason, 'InstanceUnreachable');
    assert.equal(
      troubleOf(new Error('The server does not support SSL connections')).reason,
      'TLSVerificationFailed',
    );
    assert.equal(
      troubleOf(new Error('SASL: SCRAM-SERVER-FINAL-MESSAGE: server signature does not match')).reason,
      'InsecureAuthentication',
    );
  });
});

describe('a text of the server', () => {
  it('reaches no terminal with its control characters', () => {
    const text = 'role "\u001b[31mroot\u202e\u0007" is\r\nodd';
    for (const code of ['99999', '42501', '42602'])
      assert.match(troubleOf(fromServer(code, text)).message, /: role " \[31mroot " is odd; /);
  });
});

describe('any other error', () => {
  it('is a bug and stays what it is', () => {
    const bug = new TypeError('undefined is not a function');
    assert.equal(translated(bug), bug);
    const trouble = new Trouble('Conflict', 'taken');
    assert.equal(translated(trouble), trouble);
  });
});
