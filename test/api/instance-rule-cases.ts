import type { RuleCases } from './rule-table.ts';

const pem = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n';

/** Every rule of PostgreSQLInstance, with what it lets through and what it refuses. */
export const instanceRuleCases: readonly RuleCases[] = [
  {
    at: 'spec.managementDatabase',
    message: 'managementDatabase is immutable, the registry lives there; create another Instance',
    cases: [
      {
        title: 'creating with managementDatabase',
        to: { managementDatabase: 'pgtenancy' },
        outcome: 'accepted',
      },
      {
        title: 'keeping managementDatabase',
        from: { managementDatabase: 'pgtenancy' },
        to: { managementDatabase: 'pgtenancy', port: 6432 },
        outcome: 'accepted',
      },
      {
        title: 'writing the default of managementDatabase out',
        from: {},
        to: { managementDatabase: 'postgres' },
        outcome: 'accepted',
      },
      {
        title: 'changing managementDatabase',
        from: { managementDatabase: 'pgtenancy' },
        to: { managementDatabase: 'other' },
        outcome: 'refused',
      },
      {
        title: 'setting managementDatabase where the default was taken',
        from: {},
        to: { managementDatabase: 'pgtenancy' },
        outcome: 'refused',
      },
      {
        title: 'unsetting managementDatabase, which would bring the default back',
        from: { managementDatabase: 'pgtenancy' },
        to: {},
        outcome: 'refused',
      },
    ],
  },
  {
    at: 'spec.tls',
    message: 'caBundle is for mode verify-ca or verify-full; take it out, or set one of these',
    cases: [
      { title: 'mode require without a caBundle', to: { tls: { mode: 'require' } }, outcome: 'accepted' },
      {
        title: 'a caBundle with mode verify-ca',
        to: { tls: { mode: 'verify-ca', caBundle: pem } },
        outcome: 'accepted',
      },
      {
        title: 'a caBundle with mode verify-full',
        to: { tls: { mode: 'verify-full', caBundle: pem } },
        outcome: 'accepted',
      },
      { title: 'a caBundle with the default mode', to: { tls: { caBundle: pem } }, outcome: 'accepted' },
      {
        title: 'a caBundle with mode require',
        to: { tls: { mode: 'require', caBundle: pem } },
        outcome: 'refused',
      },
      {
        title: 'a caBundle with mode disable',
        to: { tls: { mode: 'disable', caBundle: pem } },
        outcome: 'refused',
      },
      {
        title: 'going to mode require without the caBundle',
        from: { tls: { caBundle: pem } },
        to: { tls: { mode: 'require' } },
        outcome: 'accepted',
      },
      {
        title: 'going to mode require and keeping the caBundle',
        from: { tls: { caBundle: pem } },
        to: { tls: { mode: 'require', caBundle: pem } },
        outcome: 'refused',
      },
    ],
  },
];
