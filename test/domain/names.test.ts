import assert from 'node:assert/strict';
import { test } from 'node:test';

import { reservedNames } from '../../src/api/names.ts';
import { defaultName, faultOfName } from '../../src/domain/names.ts';

const a = (length: number): string => 'a'.repeat(length);

const derived: readonly (readonly [sentence: string, namespace: string, name: string, expected: RegExp])[] = [
  ['two plain words are joined', 'shop', 'orders', /^shop_orders$/],
  ['digits inside are kept', 'shop2', 'orders7', /^shop2_orders7$/],
  ['63 bytes are not too long', a(31), a(31), /^a{31}_a{31}$/],
  ['64 bytes are cut and told apart by a hash', a(31), a(32), /^a{31}_a{22}_[0-9a-f]{8}$/],
  ['a dash could be an underscore, so a hash follows', 'team-a', 'orders', /^team_a_orders_[0-9a-f]{8}$/],
  ['a dot could be an underscore, so a hash follows', 'team', 'orders.v2', /^team_orders_v2_[0-9a-f]{8}$/],
  ['a name must not start with a digit', '1shop', 'orders', /^t_1shop_orders_[0-9a-f]{8}$/],
  ['pg_ belongs to PostgreSQL', 'pg', 'orders', /^t_pg_orders_[0-9a-f]{8}$/],
  ['pto_ belongs to the tombstones', 'pto', 'drop', /^t_pto_drop_[0-9a-f]{8}$/],
  ['a prefix counts behind a dash too', 'pg-x', 'orders', /^t_pg_x_orders_[0-9a-f]{8}$/],
  ['a provider owns its names', 'rds', 'superuser', /^t_rds_superuser_[0-9a-f]{8}$/],
  ['a word of SQL is reserved', 'current', 'user', /^t_current_user_[0-9a-f]{8}$/],
  ['a namespace of 63 bytes still leaves two underscores', a(63), 'x', /^a{53}__[0-9a-f]{8}$/],
  ['a Tenant name of 200 bytes is cut', 'shop', a(200), /^shop_a{49}_[0-9a-f]{8}$/],
];

for (const [sentence, namespace, name, expected] of derived) {
  test(`default name: ${sentence}`, () => {
    const result = defaultName(namespace, name);
    assert.match(result, expected);
    assert.equal(faultOfName('databaseName', result, []), null);
  });
}

const pairs: readonly (readonly [string, string, string, string])[] = [
  ['a-b', 'c', 'a', 'b-c'],
  ['a-b', 'c', 'a', 'b.c'],
  ['a', 'b-c', 'a', 'b.c'],
  ['shop', `${a(60)}b`, 'shop', `${a(60)}c`],
  [a(63), 'x', a(63), 'y'],
  ['1a', 'b', 't-1a', 'b'],
  ['pg', 'x', 't-pg', 'x'],
];

for (const [namespace, name, otherNamespace, otherName] of pairs) {
  test(`${namespace}/${name} and ${otherNamespace}/${otherName} have different default names`, () => {
    assert.notEqual(defaultName(namespace, name), defaultName(otherNamespace, otherName));
  });
}

test('a plain default name has one underscore and a hashed one more, so nobody can aim at the name of another', () => {
  const victim = defaultName(a(63), 'x');
  const hash = victim.slice(-8);
  for (let length = 50; length < 60; length += 1) assert.notEqual(defaultName(a(length), hash), victim);
  assert.ok(victim.split('_').length > 2);
});

test('a default name is the same each time', () => {
  assert.equal(defaultName('team-a', 'orders'), defaultName('team-a', 'orders'));
});

type Fault = 'NameInvalid' | 'NameReserved' | undefined;

const judged: readonly (readonly [sentence: string, name: string, fault: Fault])[] = [
  ['a plain name is fine', 'shop_orders', undefined],
  ['63 bytes are fine', a(63), undefined],
  ['64 bytes would be cut by the server', a(64), 'NameInvalid'],
  ['empty is not a name', '', 'NameInvalid'],
  ['upper case would need quotes', 'Shop', 'NameInvalid'],
  ['a dash would need quotes', 'shop-orders', 'NameInvalid'],
  ['a quote has no place in a name', 'a"b', 'NameInvalid'],
  ['an apostrophe has no place in a name', "a'b", 'NameInvalid'],
  ['a statement is not a name', 'a;--', 'NameInvalid'],
  ['a line break does not slip through', 'shop\n', 'NameInvalid'],
  ['letters outside ASCII are refused', 'é', 'NameInvalid'],
  ['a digit cannot come first', '1shop', 'NameInvalid'],
  ['an underscore cannot come first', '_shop', 'NameInvalid'],
  ['pg_ is PostgreSQL', 'pg_monitor', 'NameReserved'],
  ['pto_ is ours', 'pto_drop_x', 'NameReserved'],
  ['the management database is not for tenants', 'management', 'NameReserved'],
  ['the management user is not for tenants', 'operator', 'NameReserved'],
  ['a longer name may begin like a reserved one', 'postgres_app', undefined],
];

for (const [sentence, name, fault] of judged) {
  test(`name: ${sentence}`, () => {
    const found = faultOfName('roleName', name, ['management', 'operator']);
    assert.equal(found?.reason, fault);
    if (found !== null)
      assert.match(
        found.message,
        /^(?:spec\.)?roleName .*delete this Tenant and create one with another name$/,
      );
  });
}

test('every reserved word is refused', () => {
  for (const name of reservedNames) {
    assert.equal(faultOfName('databaseName', name, [])?.reason, 'NameReserved', name);
  }
});
