import { Gauge, type Registry } from 'prom-client';

import type { ServerUsage } from '../reconcile/ports.ts';

/** Name of the PostgreSQLInstance. Prometheus gives `instance` to everything that it reads: the address of the replica. */
const instanceLabel = 'postgresql_instance';

/** Instances are made by platform admins, and few; should there be more, the others share one series. */
const maxInstances = 100;

type Add = (value: number, labels?: Readonly<Record<string, string>>) => void;

interface Figure {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
  readonly show: (usage: ServerUsage, add: Add) => void;
}

const figures: readonly Figure[] = [
  {
    name: 'pgtenancy_postgres_backends',
    help: 'Backends that this replica holds on a server, by state (in_use, idle).',
    labels: ['state'],
    show: ({ inUse, idle }, add) => {
      add(inUse, { state: 'in_use' });
      add(idle, { state: 'idle' });
    },
  },
  {
    name: 'pgtenancy_postgres_backend_waiters',
    help: 'Callers that wait for a backend of a server.',
    labels: [],
    show: ({ waiting }, add) => add(waiting),
  },
  {
    name: 'pgtenancy_postgres_connect_failing',
    help: '1 while no session of this replica is open and its last connect, at most 5 minutes ago, failed.',
    labels: [],
    show: ({ connectFailed }, add) => add(connectFailed ? 1 : 0),
  },
  {
    name: 'pgtenancy_postgres_long_statements',
    help: 'create database and drop database statements of this replica that are under way on a server.',
    labels: [],
    show: ({ longStatements }, add) => add(longStatements),
  },
  {
    name: 'pgtenancy_postgres_calls_under_way',
    help: 'Calls that wait for a server, for whatever.',
    labels: [],
    show: ({ calls }, add) => add(calls),
  },
  {
    name: 'pgtenancy_postgres_silent',
    help: '1 while a server is asked and says nothing, so that few calls may wait for it.',
    labels: [],
    show: ({ silent }, add) => add(silent ? 1 : 0),
  },
];

/** Gauges that are read off the servers whenever metrics are: a server that is gone leaves no series behind. */
export function serverGauges(registry: Registry, usage: () => Iterable<ServerUsage>): void {
  for (const { name, help, labels, show } of figures) {
    new Gauge({
      name,
      help,
      labelNames: [instanceLabel, ...labels],
      registers: [registry],
      collect() {
        this.reset();
        for (const [index, one] of [...usage()].entries()) {
          const instance = index < maxInstances ? one.instance : 'other';
          show(one, (value, more) => this.inc({ [instanceLabel]: instance, ...more }, value));
        }
      },
    });
  }
}
