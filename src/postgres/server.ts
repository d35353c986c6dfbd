import { FailureMemory } from '../back-pressure/failure-memory.ts';
import { PeerGate } from '../back-pressure/peer-gate.ts';
import type { Reason } from '../domain/reasons.ts';
import { Trouble } from '../errors.ts';
import type {
  RegistryWrites,
  Server,
  ServerObservation,
  ServerTarget,
  ServerUsage,
  TenantWrites,
} from '../reconcile/ports.ts';
import { Backends } from './backends.ts';
import type { Connection } from './connection.ts';
import { gatedRegistry, gatedTenants } from './gated-writes.ts';
import type { Limits } from './limits.ts';
import { LongStatements } from './long-statements.ts';
import type { AddressesOf } from './named-socket.ts';
import { observation } from './observation.ts';
import { registryWrites } from './registry.ts';
import { openManagement, type ServerContext } from './server-context.ts';
import { signOfLife } from './sign-of-life.ts';
import { tenantWrites } from './tenant-writes.ts';

export interface ServerOptions {
  /** Milliseconds of a clock that only goes forward. */
  readonly now: () => number;
  /** Hears of each try to open a management session how it ended. */
  readonly onConnect: (outcome: 'ok' | 'Bug' | Reason) => void;
  readonly addressesOf: AddressesOf;
}

/**
 * For so long a failed connect is told to metrics. Objects that wait have it tried anew within 90 s, so it is told all
 * the time while the server is out of reach; a replica that is not called any more does not tell it for ever.
 */
const failureShownMs = 300_000;

type Usage = Omit<ServerUsage, 'instance'>;

/** One PostgreSQL server as one management login sees it. */
export class PostgresServer implements Server {
  readonly observe: ServerObservation;
  readonly registry: RegistryWrites;
  readonly tenants: TenantWrites;
  readonly #backends: Backends;
  readonly #connects: FailureMemory;
  readonly #gate: PeerGate;
  readonly #long: LongStatements;

  constructor(target: ServerTarget, limits: Limits, options: ServerOptions) {
    const { now, addressesOf } = options;
    this.#connects = new FailureMemory({ firstMs: limits.firstRetryMs, lastMs: limits.lastRetryMs, now });
    const backends = new Backends({
      max: target.maxConnections,
      idleMs: limits.idleMs,
      slotMs: limits.slotMs,
      silentMs: limits.silentMs,
      open: (serverMajor) => opened(target, limits, options, serverMajor),
      memory: this.#connects,
      now,
    });
    this.#backends = backends;
    this.#gate = gateOf(backends, limits, now);
    this.#long = new LongStatements(now);
    const context: ServerContext = { target, limits, backends, addressesOf };
    this.observe = observation(context, this.#gate);
    this.registry = gatedRegistry(this.#gate, registryWrites(context));
    this.tenants = gatedTenants(this.#gate, tenantWrites(context, this.#long));
  }

  get usage(): Usage {
    return {
      ...this.#backends.usage,
      connectFailed: this.#connectFailed,
      longStatements: this.#long.count,
      calls: this.#gate.waiting,
      silent: this.#gate.silent,
    };
  }

  /** While a session is open the server is reached, although it may let no further one in. */
  get #connectFailed(): boolean {
    const { ageMs } = this.#connects;
    return ageMs !== undefined && ageMs < failureShownMs && this.#backends.hopeless(true) !== undefined;
  }

  /** Closes idle sessions now and the others when they come back; a running create or drop database goes on. */
  close(): Promise<void> {
    return this.#backends.retire();
  }
}

const gateOf = (backends: Backends, limits: Limits, now: () => number): PeerGate =>
  new PeerGate({
    peer: 'the PostgreSQL server',
    unreachable: 'InstanceUnreachable',
    budget: limits.silentBudget,
    silentMs: limits.silentMs,
    concludeMs: limits.silentMs + limits.connectMs,
    firstRetryMs: limits.firstRetryMs,
    lastRetryMs: limits.lastRetryMs,
    now,
    known: (due) => backends.hopeless(due),
    check: () => signOfLife(backends, limits),
    onDeath: () => backends.abandon(),
  });

async function opened(
  target: ServerTarget,
  limits: Limits,
  { onConnect, addressesOf }: Pick<ServerOptions, 'onConnect' | 'addressesOf'>,
  serverMajor: number,
): Promise<Connection> {
  const as = { applicationName: 'pgtenancy', statementMs: limits.readMs, serverMajor };
  try {
    const connection = await openManagement({ target, limits, addressesOf }, as);
    onConnect('ok');
    return connection;
  } catch (error) {
    onConnect(error instanceof Trouble ? error.reason : 'Bug');
    throw error;
  }
}
