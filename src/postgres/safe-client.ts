import { Client, type ClientConfig } from 'pg';

/** How the server checked the password: not at all, or by a whole SCRAM exchange. */
type Proof = 'none' | 'scram';

/** The server reports a setting (`ParameterStatus`). */
interface Parameter {
  readonly parameterName: string;
  readonly parameterValue: string;
}

/**
 * A `pg.Client` that gives a password away to nobody: node-postgres answers a server that asks for it in clear text or
 * as md5, this one hangs up. It also remembers what the handshake proved, because "connect succeeded" says nothing
 * under `trust`, and a refused login (NOLOGIN, no slot) may well have proven the password.
 *
 * The overridden methods and `connection` are not public API of pg: the version is pinned, tests cover it.
 */
export class SafeClient extends Client {
  /** The pid in BackendKeyData; a pooler makes one up. Set by pg. */
  declare readonly processID: number | null;

  #scramFinished = false;
  #authenticated: Proof | undefined;
  #serverMajor = 0;

  constructor(config: ClientConfig) {
    super(config);
    // Without a listener an idle connection that the server closes would end the process.
    this.on('error', () => undefined);
    this.connection.on('authenticationSASLFinal', () => {
      this.#scramFinished = true;
    });
    this.connection.on('parameterStatus', ({ parameterName, parameterValue }: Parameter) => {
      if (parameterName === 'server_version') this.#serverMajor = Number.parseInt(parameterValue, 10) || 0;
    });
    this.connection.on('authenticationOk', () => {
      this.#authenticated = this.#scramFinished ? 'scram' : 'none';
    });
  }

  /** Set once the server sent `authenticationOk`, also when it refused the session after it. */
  get authenticated(): Proof | undefined {
    return this.#authenticated;
  }

  /** The major version that the server announced, e.g. 17; 0 when it announced none. */
  get serverMajor(): number {
    return this.#serverMajor;
  }

  /** True when the other side closed the connection, or we did. */
  get closed(): boolean {
    return this.connection.stream.destroyed || !this.connection.stream.writable;
  }

  /** Drops the connection at once, without a word to the server. */
  destroy(): void {
    this.connection.stream.destroy();
  }

  _handleAuthCleartextPassword(): void {
    this.#refuse('AUTH_CLEARTEXT');
  }

  _handleAuthMD5Password(): void {
    this.#refuse('AUTH_MD5');
  }

  #refuse(code: string): void {
    this.connection.emit('error', Object.assign(new Error('insecure authentication refused'), { code }));
    this.destroy();
  }
}
