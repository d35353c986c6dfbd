import { apiGroup, apiVersion, confirmAnnotation } from '../api/metadata.ts';
import { confirmations } from './confirmations.ts';
import { credentialKeys } from './credential-keys.ts';
import { instanceKind, tenantKind } from './kinds.ts';
import { blocks, code, fenced, table } from './markdown.ts';
import { kindChapter } from './reference-kind.ts';
import { instanceStates, reasonTable, tenantStates } from './reference-states.ts';

/** YAML texts of the examples that the reference shows. */
export interface ReferenceExamples {
  readonly instanceMinimal: string;
  readonly instanceFull: string;
  readonly tenantMinimal: string;
  readonly tenantFull: string;
}

/** `docs/api-reference.md`, not yet formatted. */
export const reference = (examples: ReferenceExamples): string =>
  blocks(
    '# API reference',
    '<!-- Generated from src/api and src/domain by `npm run generate`; do not edit. -->',
    `API group ${code(apiGroup)}, version ${code(apiVersion.slice(apiGroup.length + 1))}. The schemas are in [\`crds/\`](../crds/), more examples in [\`examples/\`](../examples/).`,
    table(
      ['chapter', 'about'],
      [
        ['[PostgreSQLTenant](#postgresqltenant)', tenantKind.description],
        ['[PostgreSQLInstance](#postgresqlinstance)', instanceKind.description],
        ['[Reasons](#reasons)', 'What the conditions of both kinds may say.'],
        ['[Confirming a loss](#confirming-a-loss)', "How a person's word is given."],
        ['[Record and Secret](#record-and-secret)', 'What an application gets.'],
      ],
    ),
    kindChapter({
      kind: tenantKind,
      states: tenantStates(),
      examples: { minimal: examples.tenantMinimal, full: examples.tenantFull },
    }),
    kindChapter({
      kind: instanceKind,
      states: instanceStates(),
      examples: { minimal: examples.instanceMinimal, full: examples.instanceFull },
    }),
    reasonChapter(),
    confirmChapter(),
    recordChapter(),
  );

const reasonChapter = (): string =>
  blocks(
    '## Reasons',
    'With **no** in the last column the condition `Stalled` is set: it does not mend itself, a person must change the object or the world around it. Everything else goes on by itself, once what the reason names is done, back, or gone.',
    reasonTable(),
  );

const confirmChapter = (): string =>
  blocks(
    '## Confirming a loss',
    `Where something is lost that only a person can write off, nothing is done, and the message of the condition ends with a token. The annotation ${code(confirmAnnotation)} with that token as its value gives the word:`,
    fenced('sh', `kubectl -n shop annotate pgt orders ${confirmAnnotation}=<token>`),
    'The token belongs to this one loss: it cannot be set in advance and it is spent by use. A later loss has another token; overwrite the old annotation with `--overwrite`.',
    table(
      ['reason', 'with the token the operator'],
      Object.entries(confirmations).map(([reason, effect]) => [code(reason), effect]),
    ),
    'A `Conflict` is never confirmed in this way: what belongs to something else is not taken over.',
  );

const recordChapter = (): string =>
  blocks(
    '## Record and Secret',
    'The record in OpenBao and the Secret `<name of the Tenant>-postgresql` have the same keys. The Secret is of type `servicebinding.io/postgresql`, so any tool that knows [Service Binding](https://servicebinding.io/) can mount it by naming the Tenant.',
    table(
      ['key', 'present', 'value'],
      Object.entries(credentialKeys).map(([key, { presence, meaning }]) => [code(key), presence, meaning]),
    ),
  );
