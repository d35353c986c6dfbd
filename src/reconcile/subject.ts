import type { PostgreSQLInstance } from '../api/instance.ts';
import type { PostgreSQLTenant } from '../api/tenant.ts';
import type { Subject } from './context.ts';

export const tenantSubject = ({ metadata, spec }: PostgreSQLTenant): Subject => ({
  subject: `${metadata.namespace}/${metadata.name}`,
  uid: metadata.uid,
  instance: spec.instanceRef.name,
});

export const instanceSubject = ({ metadata }: PostgreSQLInstance): Subject => ({
  subject: metadata.name,
  uid: metadata.uid,
  instance: metadata.name,
});
