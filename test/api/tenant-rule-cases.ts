import type { RuleCase, RuleCases } from './rule-table.ts';

const immutableName = (field: 'databaseName' | 'roleName'): readonly RuleCase[] => [
  { title: `creating with ${field}`, to: { [field]: 'orders' }, outcome: 'accepted' },
  { title: `creating without ${field}`, to: {}, outcome: 'accepted' },
  {
    title: `keeping ${field}`,
    from: { [field]: 'orders' },
    to: { [field]: 'orders', connectionLimit: 5 },
    outcome: 'accepted',
  },
  { title: `leaving ${field} unset`, from: {}, to: { connectionLimit: 5 }, outcome: 'accepted' },
  { title: `changing ${field}`, from: { [field]: 'orders' }, to: { [field]: 'other' }, outcome: 'refused' },
  { title: `setting ${field} later`, from: {}, to: { [field]: 'orders' }, outcome: 'refused' },
  { title: `unsetting ${field}`, from: { [field]: 'orders' }, to: {}, outcome: 'refused' },
];

const reserved = (field: 'databaseName' | 'roleName'): readonly RuleCase[] => [
  {
    title: `${field} that only resembles a reserved one`,
    to: { [field]: 'postgres_app' },
    outcome: 'accepted',
  },
  { title: `${field} that begins with pg but not with pg_`, to: { [field]: 'pgbench' }, outcome: 'accepted' },
  { title: `${field} postgres`, to: { [field]: 'postgres' }, outcome: 'refused' },
  { title: `${field} with a prefix of PostgreSQL`, to: { [field]: 'pg_monitor' }, outcome: 'refused' },
  { title: `${field} with a prefix of the operator`, to: { [field]: 'pto_drop_x' }, outcome: 'refused' },
  { title: `${field} of a provider`, to: { [field]: 'rds_superuser' }, outcome: 'refused' },
  {
    title: `keeping a ${field} that is not reserved`,
    from: { [field]: 'orders' },
    to: { [field]: 'orders', connectionLimit: 5 },
    outcome: 'accepted',
  },
  {
    title: `changing ${field} to a reserved one`,
    from: { [field]: 'orders' },
    to: { [field]: 'postgres' },
    outcome: 'refused',
  },
];

const citext = { name: 'citext' };
const hstore = { name: 'hstore', schema: 'tools', version: '1.8' };
const both = { extensions: [citext, hstore] };

const extensions: readonly RuleCase[] = [
  { title: 'creating with extensions', to: both, outcome: 'accepted' },
  { title: 'listing the first extension later', from: {}, to: both, outcome: 'accepted' },
  {
    title: 'appending an extension',
    from: { extensions: [citext] },
    to: both,
    outcome: 'accepted',
  },
  {
    title: 'putting a new extension in front',
    from: { extensions: [citext] },
    to: { extensions: [hstore, citext] },
    outcome: 'accepted',
  },
  { title: 'reordering extensions', from: both, to: { extensions: [hstore, citext] }, outcome: 'accepted' },
  { title: 'keeping extensions', from: both, to: { ...both, connectionLimit: 5 }, outcome: 'accepted' },
  { title: 'removing an extension', from: both, to: { extensions: [citext] }, outcome: 'refused' },
  { title: 'emptying the list', from: both, to: { extensions: [] }, outcome: 'refused' },
  { title: 'unsetting the list', from: both, to: {}, outcome: 'refused' },
  {
    title: 'replacing an extension',
    from: { extensions: [citext] },
    to: { extensions: [{ name: 'pgcrypto' }] },
    outcome: 'refused',
  },
  {
    title: 'changing the version of an extension',
    from: both,
    to: { extensions: [citext, { ...hstore, version: '1.9' }] },
    outcome: 'refused',
  },
  {
    title: 'changing the schema of an extension',
    from: both,
    to: { extensions: [citext, { ...hstore, schema: 'other' }] },
    outcome: 'refused',
  },
  {
    title: 'giving a version to an extension that had none',
    from: both,
    to: { extensions: [{ ...citext, version: '1.6' }, hstore] },
    outcome: 'refused',
  },
  {
    title: 'taking the schema away from an extension',
    from: both,
    to: { extensions: [citext, { name: 'hstore', version: '1.8' }] },
    outcome: 'refused',
  },
];

/** Every rule of PostgreSQLTenant, with what it lets through and what it refuses. */
export const tenantRuleCases: readonly RuleCases[] = [
  {
    at: 'metadata',
    message:
      'metadata.name may have at most 200 characters, the Secret is named after it; choose a shorter one',
    cases: [
      { title: 'a name of 200 characters', name: 'a'.repeat(200), to: {}, outcome: 'accepted' },
      {
        title: 'changing what has a name of 200 characters',
        name: 'c'.repeat(200),
        from: {},
        to: { connectionLimit: 5 },
        outcome: 'accepted',
      },
      { title: 'a name of 201 characters', name: 'b'.repeat(201), to: {}, outcome: 'refused' },
    ],
  },
  {
    at: 'spec',
    message: 'databaseName is immutable; create another Tenant',
    cases: immutableName('databaseName'),
  },
  { at: 'spec', message: 'roleName is immutable; create another Tenant', cases: immutableName('roleName') },
  {
    at: 'spec',
    message:
      'extensions may only be appended to; leave the listed ones as they are, or create another Tenant',
    cases: extensions,
  },
  {
    at: 'spec.instanceRef',
    message: 'instanceRef is immutable; create another Tenant',
    cases: [
      { title: 'creating with instanceRef', to: {}, outcome: 'accepted' },
      { title: 'keeping instanceRef', from: {}, to: { connectionLimit: 5 }, outcome: 'accepted' },
      {
        title: 'changing instanceRef',
        from: {},
        to: { instanceRef: { name: 'pg-other' } },
        outcome: 'refused',
      },
    ],
  },
  ...(['databaseName', 'roleName'] as const).map((field) => ({
    at: `spec.${field}`,
    message: 'is reserved by PostgreSQL, by a provider or by this operator; choose another name',
    cases: reserved(field),
  })),
];
