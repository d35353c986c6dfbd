import { apiVersion } from '../api/metadata.ts';
import { apiRules } from './api-rules.ts';
import { fieldRows } from './field-rows.ts';
import type { Kind } from './kinds.ts';
import { blocks, code, fenced, table } from './markdown.ts';
import { structuralSchema } from './structural-schema.ts';

/** What differs from kind to kind, beyond its schema. */
export interface KindChapter {
  readonly kind: Kind;
  /** Tables of phases and conditions, with their headings. */
  readonly states: string;
  readonly examples: { readonly minimal: string; readonly full: string };
}

/** The chapter of one kind, from its heading (level 2) on. */
export const kindChapter = ({ kind, states, examples }: KindChapter): string =>
  blocks(
    `## ${kind.kind}`,
    kind.description,
    `${code(`apiVersion: ${apiVersion}`)}, ${code(`kind: ${kind.kind}`)}; ${scopeOf(kind)}; short name ${code(kind.shortName)}, category ${code('pgtenancy')}.`,
    `### ${kind.kind}: examples`,
    'The least that works:',
    fenced('yaml', examples.minimal),
    'Every field:',
    fenced('yaml', examples.full),
    `### ${kind.kind}: spec`,
    specTable(kind),
    `### ${kind.kind}: rules of the API server`,
    'Beside the bounds above, the API server refuses what breaks one of these (HTTP 422, with the message):',
    ruleTable(kind),
    `### ${kind.kind}: status`,
    'Written by the operator only. Every field is absent until it is known.',
    statusTable(kind),
    states,
    `### ${kind.kind}: columns`,
    `What ${code(`kubectl get ${kind.shortName}`)} shows; the wide ones with ${code('-o wide')} only.`,
    columnTable(kind),
  );

const scopeOf = ({ scope }: Kind): string => (scope === 'Cluster' ? 'cluster-scoped' : 'namespaced');

const specTable = (kind: Kind): string =>
  table(
    ['field', 'type', 'default', 'bounds', 'later', 'meaning'],
    fieldRows(structuralSchema(kind.spec, 'spec')).map((row) => [
      code(row.path),
      row.type,
      row.isRequired ? '**required**' : row.default,
      row.bounds,
      row.change,
      row.description,
    ]),
  );

const statusTable = (kind: Kind): string =>
  table(
    ['field', 'type', 'bounds', 'meaning'],
    fieldRows(structuralSchema(kind.status, 'status')).map((row) => [
      code(row.path),
      row.type,
      row.bounds,
      row.description,
    ]),
  );

const ruleTable = (kind: Kind): string =>
  table(
    ['at', 'looked at on', 'message'],
    apiRules(kind).map(({ path, rule, isTransition }) => [
      code(path),
      isTransition ? 'update' : 'create, update',
      rule.message,
    ]),
  );

const columnTable = (kind: Kind): string =>
  table(
    ['column', 'from', 'shown', 'meaning'],
    kind.columns.map(({ name, jsonPath, priority, description }) => [
      name,
      code(jsonPath),
      priority === undefined ? 'always' : 'wide',
      description,
    ]),
  );
