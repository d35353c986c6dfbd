/** A PostgreSQL name as this operator takes it: it needs no quotes and survives every tool. */
export const namePattern = '^[a-z][a-z0-9_]*$';

/** PostgreSQL's NAMEDATALEN - 1, in bytes; longer names are cut by the server without an error. */
export const nameMaxBytes = 63;

/** Prefixes of PostgreSQL itself and of this operator's tombstones. */
export const reservedPrefixes = ['pg_', 'pto_'] as const;

/**
 * Words that a database or role must not be named: PostgreSQL's own objects, words with a meaning in `grant` or
 * pg_hba.conf, and the administration roles and databases of RDS, Cloud SQL, Azure and AlloyDB.
 */
export const reservedNames = [
  ...['postgres', 'template0', 'template1', 'pgtenancy'],
  ...['public', 'none', 'all', 'default', 'user', 'current_user', 'current_role', 'session_user'],
  ...['replication', 'sameuser', 'samerole', 'samegroup'],
  ...['rdsadmin', 'rdsrepladmin', 'rds_superuser', 'rds_replication', 'rds_password', 'rds_iam'],
  ...['cloudsqladmin', 'cloudsqlsuperuser', 'cloudsqlimportexport', 'cloudsqlagent', 'cloudsqlreplica'],
  ...['azure_maintenance', 'azure_sys', 'azure_pg_admin', 'azure_superuser'],
  ...['alloydbadmin', 'alloydbsuperuser', 'alloydbmetadata'],
] as const;

/** The same rule in CEL, for the API server. */
export const reservedNameRule = {
  rule: `!(${reservedPrefixes.map((prefix) => `self.startsWith('${prefix}')`).join(' || ')} || self in [${reservedNames.map((name) => `'${name}'`).join(', ')}])`,
  message: 'is reserved by PostgreSQL, by a provider or by this operator; choose another name',
};
