import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { sql } from '../../src/postgres/sql.ts';

describe('the sql tag', () => {
  it('turns values into bind parameters', () => {
    const statement = sql`select ${'a'}::text, ${null}::oid, ${['x', 'y']}::text[]`;
    assert.equal(statement.text, 'select $1::text, $2::oid, $3::text[]');
    assert.deepEqual(statement.values, ['a', null, ['x', 'y']]);
  });

  it('splices pieces in and numbers their values anew', () => {
    const piece = sql`b = ${2}`;
    const statement = sql`a = ${1} and ${piece} and c = ${3} or ${piece}`;
    assert.equal(statement.text, 'a = $1 and b = $2 and c = $3 or b = $4');
    assert.deepEqual(statement.values, [1, 2, 3, 2]);
  });

  it('quotes identifiers and literals, whatever they hold', () => {
    assert.equal(sql`drop role ${sql.id('x"; drop role "y')}`.text, 'drop role "x""; drop role ""y"');
    assert.equal(sql`password ${sql.literal("it's")}`.text, "password 'it''s'");
    assert.equal(sql`password ${sql.literal('a\\b')}`.text, "password  E'a\\\\b'");
    assert.deepEqual(sql`${sql.id('x')}`.values, []);
  });

  it('writes out whole numbers only', () => {
    assert.equal(sql`connection limit ${sql.integer(-1)}`.text, 'connection limit -1');
    assert.throws(() => sql.integer(1.5), TypeError);
  });

  it('joins pieces, also none', () => {
    assert.equal(sql.join([sql`a`, sql`b = ${1}`], sql`, `).text, 'a, b = $1');
    assert.equal(sql.join([], sql`, `).text, '');
  });
});
