/** What one server allows. Times in milliseconds. Each protects from somebody who reaches the port and means no good. */
export interface ServerLimits {
  /** Memory and files. Who has not been let in yet makes room for a new one, see `boundConnections`. */
  readonly connections: number;
  /** Connections that never finish their handshake. Metacontroller itself gives up after 10 s. */
  readonly handshakeMs: number;
  /** Heads that come in drops: from the first moment of a connection, or the first byte of a later request. */
  readonly headMs: number;
  /** The same for head and body together; Node wants it above `headMs`. */
  readonly requestMs: number;
  /** From the head of a request to the end of its body, which comes from the same cluster in one go. */
  readonly bodyMs: number;
  /** How long a connection may wait for its next request. */
  readonly idleMs: number;
  /** Long heads, which Node holds in memory: request line (so also the URL) and headers together, in bytes. */
  readonly headBytes: number;
  /** Floods of small headers. */
  readonly headers: number;
  /**
   * A connection that lives for ever: it would stay with one replica when others are added. The last answer says
   * `connection: close`.
   */
  readonly requestsPerConnection: number;
  /** Long bodies, in bytes. */
  readonly bodyBytes: number;
}

export interface HookLimits extends ServerLimits {
  /** Many long bodies at once: those that are arriving or worked on, together, in bytes. */
  readonly bodiesBytes: number;
}

/**
 * Go's clients open some connections in advance and keep idle ones for 90 s, used or not. The times for idle and for
 * unused connections (`headMs`) are longer, so that it is never us who close one that Metacontroller is about to use.
 */
export const hookLimits: HookLimits = {
  // Far above what Metacontroller's workers hold open, far below what files and memory allow.
  connections: 256,
  handshakeMs: 10_000,
  headMs: 95_000,
  requestMs: 100_000,
  bodyMs: 2_000,
  idleMs: 120_000,
  // A proxy or a mesh in between adds headers, some of them with whole certificates.
  headBytes: 16 * 1024,
  headers: 100,
  requestsPerConnection: 1_000,
  // etcd stops at 1.5 MiB for one object. A request holds at most two that large: the parent, and either its child or
  // the related Instance, which are small by nature; the last MiB is for the controller and for spaces in the JSON.
  bodyBytes: 4 * 1024 * 1024,
  // Half a MiB for each request that may be under way. As text and as objects they take several times as much.
  bodiesBytes: 32 * 1024 * 1024,
};

/** The kubelet and a Prometheus or two. Whoever could fill these places could have the Pod restarted. */
export const probeLimits: ServerLimits = {
  connections: 32,
  handshakeMs: 5_000,
  headMs: 4_000,
  requestMs: 5_000,
  bodyMs: 1_000,
  idleMs: 10_000,
  headBytes: 4 * 1024,
  headers: 50,
  requestsPerConnection: 1_000,
  // Nothing that is asked for here has one.
  bodyBytes: 1,
};
