import { graph, type Panel, type Row } from './dashboard-panels.ts';
import { chosen, failed, happening, ofInstances, perSecond, quantile } from './dashboard-queries.ts';

interface Calls {
  /** What is counted, as the titles call it. */
  readonly noun: string;
  readonly counter: string;
  readonly histogram: string;
  readonly label: string;
  readonly description: string;
}

/** How many there are, which fail, and how long they take: the same three panels for each system around the operator. */
const callPanels = ({ noun, counter, histogram, label, description }: Calls): Panel[] => [
  graph([noun, description], 'ops', [[perSecond(counter, label), `{{${label}}}`]], { stacked: true }),
  graph(
    [`${noun} that failed`, `By ${label} and reason; docs/operations.md has a section for each reason.`],
    'ops',
    [[happening(counter, `${label}, outcome`, failed), `{{${label}}}: {{outcome}}`]],
    { stacked: true },
  ),
  graph([`Time of ${noun.toLowerCase()} (p90)`, `By ${label}: nine in ten are quicker than this.`], 's', [
    [quantile(0.9, histogram, label), `{{${label}}}`],
  ]),
];

const byInstance = (metric: string): string => `sum by (postgresql_instance) (${ofInstances(metric)})`;
const anyReplica = (metric: string): string => `max by (postgresql_instance) (${ofInstances(metric)})`;

export const postgres: Row = {
  title: 'PostgreSQL',
  panels: [
    graph(
      [
        'Backends held',
        'Sessions of all replicas, by Instance. A replica holds spec.maxConnections at the most.',
      ],
      'none',
      [
        [
          `sum by (postgresql_instance, state) (${ofInstances('pgtenancy_postgres_backends')})`,
          '{{postgresql_instance}} {{state}}',
        ],
      ],
      { stacked: true },
    ),
    graph(['Waiting', 'Callers without a backend, and calls without an answer yet, by Instance.'], 'none', [
      [byInstance('pgtenancy_postgres_backend_waiters'), '{{postgresql_instance}} for a backend'],
      [byInstance('pgtenancy_postgres_calls_under_way'), '{{postgresql_instance}} for an answer'],
    ]),
    graph(
      [
        'Servers that fail',
        'By Instance, the replicas that cannot connect, and 1 while a server that is asked says nothing.',
      ],
      'none',
      [
        [byInstance('pgtenancy_postgres_connect_failing'), '{{postgresql_instance}} no connect'],
        [anyReplica('pgtenancy_postgres_silent'), '{{postgresql_instance}} silent'],
      ],
    ),
    ...callPanels({
      noun: 'Calls',
      counter: 'pgtenancy_postgres_calls_total',
      histogram: 'pgtenancy_postgres_call_duration_seconds',
      label: 'operation',
      description: 'Calls of all servers, by operation.',
    }),
    graph(
      ['Management sessions opened', 'By outcome: ok, or the reason for which there is none.'],
      'ops',
      [[perSecond('pgtenancy_postgres_connects_total', 'outcome'), '{{outcome}}']],
      { width: 12, stacked: true },
    ),
    graph(
      [
        'Databases being created or dropped',
        'Statements under way. A replica runs two at a time on each Instance.',
      ],
      'none',
      [[byInstance('pgtenancy_postgres_long_statements'), '{{postgresql_instance}}']],
      { width: 12, stacked: true },
    ),
  ],
};

export const openBao: Row = {
  title: 'OpenBao',
  panels: [
    ...callPanels({
      noun: 'Calls',
      counter: 'pgtenancy_openbao_calls_total',
      histogram: 'pgtenancy_openbao_call_duration_seconds',
      label: 'operation',
      description: 'What is done with records of Tenants, by operation.',
    }),
    graph(
      ['Logins', 'By outcome. A replica logs in after two thirds of the time for which its token is valid.'],
      'ops',
      [[perSecond('pgtenancy_openbao_logins_total', 'outcome'), '{{outcome}}']],
      { width: 12, stacked: true },
    ),
    graph(
      ['Time until the token ends', 'By replica. Below 0: an idle one, which logs in with its next call.'],
      's',
      [[`(${chosen('pgtenancy_openbao_token_expiry_timestamp_seconds')} > 0) - time()`, '{{pod}}']],
      { width: 12, min: undefined },
    ),
  ],
};

export const kubernetes: Row = {
  title: 'Kubernetes API',
  panels: callPanels({
    noun: 'Reads',
    counter: 'pgtenancy_kubernetes_reads_total',
    histogram: 'pgtenancy_kubernetes_read_duration_seconds',
    label: 'kind',
    description: 'Reads of objects, by kind; answers out of memory included.',
  }),
};

export const process: Row = {
  title: 'Process',
  panels: [
    graph(['Memory', 'Resident memory and the heap in use, by replica.'], 'bytes', [
      [chosen('process_resident_memory_bytes'), '{{pod}} resident'],
      [chosen('nodejs_heap_size_used_bytes'), '{{pod}} heap'],
    ]),
    graph(['CPU', 'Cores in use, by replica. JavaScript runs on one core at the most.'], 'none', [
      [perSecond('process_cpu_seconds_total', 'pod'), '{{pod}}'],
    ]),
    graph(
      ['Event loop lag (p99)', 'How late the process turns to its work. Above 100 ms it has too much of it.'],
      's',
      [[chosen('nodejs_eventloop_lag_p99_seconds'), '{{pod}}']],
    ),
  ],
};
