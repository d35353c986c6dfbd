import { tenantKind } from '../../src/generate/kinds.ts';
import { tenants } from '../world/kubernetes/resources.ts';
import { tenantOf, withOurKinds } from './installed-crds.ts';
import { testRules } from './rule-table.ts';
import { tenantRuleCases } from './tenant-rule-cases.ts';

testRules({
  kind: tenantKind,
  resource: tenants,
  objectOf: tenantOf,
  table: tenantRuleCases,
  lend: withOurKinds,
});
