import assert from 'node:assert/strict';
import { test } from 'node:test';

import { newPassword } from '../../src/reconcile/password.ts';

test('a new password is 40 letters and digits, never twice the same, and does not print itself', () => {
  const passwords = Array.from({ length: 300 }, newPassword);
  for (const password of passwords) {
    assert.match(password.reveal(), /^[A-Za-z0-9]{40}$/);
    assert.equal(String(password), '[secret]');
  }
  assert.equal(new Set(passwords.map((password) => password.reveal())).size, 300);
});

test('every letter and digit comes up, and none much more often than others', () => {
  const counts = new Map<string, number>();
  for (let index = 0; index < 1000; index += 1) {
    for (const letter of newPassword().reveal()) counts.set(letter, (counts.get(letter) ?? 0) + 1);
  }
  const expected = (1000 * 40) / 62;
  assert.equal(counts.size, 62);
  for (const [letter, count] of counts) {
    assert.ok(count > expected * 0.7 && count < expected * 1.3, `${letter}: ${count} times`);
  }
});
