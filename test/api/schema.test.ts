import { withOurKinds } from './installed-crds.ts';
import { testSchema } from './schema-tests.ts';

testSchema(withOurKinds);
