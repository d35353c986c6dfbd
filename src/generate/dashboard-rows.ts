import { graph, stat, table, type Row } from './dashboard-panels.ts';
import { chosen, failed, happening, perSecond, quantile } from './dashboard-queries.ts';

const requests = 'pgtenancy_hook_request_duration_seconds';
const refusals = 'pgtenancy_hook_refusals_total';
const certificate = 'pgtenancy_hook_certificate_expiry_timestamp_seconds';
const day = 86_400;

/** What says at one look whether anything is wrong. */
export const glance: Row = {
  title: 'At a glance',
  panels: [
    stat(
      ['Replicas', 'Replicas of the operator that Prometheus reaches.'],
      'none',
      'count(pgtenancy_build_info)',
      [
        ['red', null],
        ['orange', 1],
        ['green', 2],
      ],
      { noValue: '0' },
    ),
    stat(
      [
        'Calls of the hook',
        'Calls of Metacontroller a second. At rest it calls for each object every few minutes.',
      ],
      'reqps',
      `sum(rate(${chosen(`${requests}_count`)}[$__rate_interval]))`,
      [['blue', null]],
    ),
    stat(
      ['Put off or refused', 'Share of the calls that were not answered with a status.'],
      'percentunit',
      `sum(rate(${chosen(refusals)}[$__rate_interval])) / sum(rate(${chosen(`${requests}_count`)}[$__rate_interval]))`,
      [
        ['green', null],
        ['orange', 0.02],
        ['red', 0.1],
      ],
    ),
    stat(
      [
        'Failed steps',
        'Writes of the last hour that failed, without those in which another replica was faster.',
      ],
      'none',
      `sum(increase(${chosen('pgtenancy_acts_total', ',outcome!~"ok|Busy|StaleDecision"')}[1h])) or vector(0)`,
      [
        ['green', null],
        ['red', 1],
      ],
      { decimals: 0 },
    ),
    stat(
      [
        'Servers out of reach',
        'Instances to which a replica cannot connect, those beyond the first hundred included.',
      ],
      'none',
      `sum(max by (postgresql_instance) (${chosen('pgtenancy_postgres_connect_failing')})) or vector(0)`,
      [
        ['green', null],
        ['red', 1],
      ],
    ),
    stat(
      ['Certificate of the hook', 'How long Metacontroller will still accept it; empty without TLS.'],
      's',
      `min(${chosen(certificate)} > 0) - time()`,
      [
        ['red', null],
        ['orange', 3 * day],
        ['green', 7 * day],
      ],
    ),
  ],
};

export const hook: Row = {
  title: 'Hook',
  panels: [
    graph(
      ['Calls by route', 'Calls of Metacontroller, by hook.'],
      'reqps',
      [[perSecond(`${requests}_count`, 'route'), '{{route}}']],
      { stacked: true },
    ),
    graph(
      [
        'Calls by status code',
        '200 is a status, 429 means come back later, 500 is a bug. Others are faulty calls.',
      ],
      'reqps',
      [[perSecond(`${requests}_count`, 'code'), '{{code}}']],
      { stacked: true },
    ),
    graph(
      ['Refusals by cause', 'busy, in_flight_limit and deadline are back-pressure, the others are faults.'],
      'reqps',
      [[happening(refusals, 'cause'), '{{cause}}']],
      { stacked: true },
    ),
    graph(
      [
        'Time to answer',
        'Over all routes. The hook gives up at 80 % of its timeout, which is 15 s by default.',
      ],
      's',
      [0.5, 0.9, 0.99].map((share) => [quantile(share, requests), `p${share * 100}`]),
    ),
    graph(['Time to answer by route (p90)', 'Nine calls in ten are quicker than this.'], 's', [
      [quantile(0.9, requests, 'route'), '{{route}}'],
    ]),
    graph(
      ['Calls worked on', 'Calls under way now, by replica. Above a limit further ones are put off.'],
      'none',
      [[chosen('pgtenancy_hook_requests_in_flight'), '{{pod}}']],
      { stacked: true },
    ),
  ],
};

export const steps: Row = {
  title: 'Steps',
  panels: [
    graph(
      ['Steps taken', 'Writes to PostgreSQL or OpenBao, by step. None at rest.'],
      'ops',
      [[happening('pgtenancy_acts_total', 'step'), '{{step}}']],
      { stacked: true },
    ),
    graph(
      [
        'Steps that failed',
        'By step and reason. Busy and StaleDecision mean that another replica was faster.',
      ],
      'ops',
      [[happening('pgtenancy_acts_total', 'step, outcome', failed), '{{step}}: {{outcome}}']],
      { stacked: true },
    ),
    graph(['Time of steps (p90)', 'By step. Databases may be created on after the call was answered.'], 's', [
      [quantile(0.9, 'pgtenancy_act_duration_seconds', 'step'), '{{step}}'],
    ]),
  ],
};

const tenants = (type: string): string =>
  `max by (exported_namespace, name) (pgtenancy_tenant_condition{type="${type}"})`;

export const conditions: Row = {
  title: 'Tenants and Instances (from kube-state-metrics, set up as docs/operations.md says)',
  panels: [
    graph(['Tenants', 'By their condition Ready, and how many of the others wait for a person.'], 'none', [
      [`sum(${tenants('Ready')})`, 'Ready'],
      [`count(${tenants('Ready')} == 0) or vector(0)`, 'not Ready'],
      [`count(${tenants('Stalled')} == 1) or vector(0)`, 'wait for a person'],
    ]),
    table(
      ['Tenants that are not Ready', 'With the reason; the message of the condition says more.'],
      'pgtenancy_tenant_condition{type="Ready"} == 0',
      ['exported_namespace', 'name', 'reason'],
    ),
    table(
      ['Instances: what does not hold', 'Conditions that are False or Unknown. PublicClosed is advice only.'],
      'pgtenancy_instance_condition{type!="Stalled"} == 0',
      ['name', 'type', 'reason'],
    ),
  ],
};
