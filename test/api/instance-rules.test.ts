import { instanceKind } from '../../src/generate/kinds.ts';
import { instances } from '../world/kubernetes/resources.ts';
import { instanceOf, withOurKinds } from './installed-crds.ts';
import { testRules } from './rule-table.ts';
import { instanceRuleCases } from './instance-rule-cases.ts';

testRules({
  kind: instanceKind,
  resource: instances,
  objectOf: instanceOf,
  table: instanceRuleCases,
  lend: withOurKinds,
});
