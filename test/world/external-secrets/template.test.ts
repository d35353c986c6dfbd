import assert from 'node:assert/strict';
import { it } from 'node:test';

import type { Template } from './external-secret.ts';
import { renderTemplate } from './template.ts';

const fetched = new Map([
  ['password', 'p$&'],
  ['user', 'u'],
]);
const template = (more: Partial<Template>): Template => ({
  ...{ engineVersion: 'v2', mergePolicy: 'Merge', type: undefined, data: {} },
  metadata: { labels: {}, annotations: {} },
  ...more,
});
const dataOf = (more: Partial<Template>): object =>
  Object.fromEntries(renderTemplate(template(more), fetched).data);

it('a template that merges adds to what was fetched', () => {
  const data = { uri: 'postgresql://{{ .user }}:{{.password}}@db', user: 'other' };
  assert.deepEqual(dataOf({ data }), { password: 'p$&', user: 'other', uri: 'postgresql://u:p$&@db' });
});

it('a template that replaces drops what was fetched, unless it has no data', () => {
  assert.deepEqual(dataOf({ mergePolicy: 'Replace', data: { a: '{{ .user }}' } }), { a: 'u' });
  assert.deepEqual(dataOf({ mergePolicy: 'Replace' }), { password: 'p$&', user: 'u' });
});

it('a template renders its labels and annotations too', () => {
  const { labels, annotations } = renderTemplate(
    template({ metadata: { labels: { a: 'x-{{ .user }}' }, annotations: { b: 'c' } } }),
    fetched,
  );
  assert.deepEqual([labels, annotations], [{ a: 'x-u' }, { b: 'c' }]);
});

it('a template with an unknown key or another expression is an error', () => {
  assert.throws(() => dataOf({ data: { a: '{{ .nothing }}' } }), /no entry for key "nothing"/);
  assert.throws(() => dataOf({ data: { a: '{{ .user | upper }}' } }), /unsupported template expression/);
});
