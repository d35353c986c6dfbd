import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** `ReadyForQuery` outside of a transaction. */
const ready = Buffer.from([0x5a, 0, 0, 0, 5, 0x49]);

/** Forwards everything to a PostgreSQL on 127.0.0.1, but for what it is told to keep back. */
export class MutingProxy implements AsyncDisposable {
  /** Milliseconds that a new connection waits before it is forwarded. */
  delayMs = 0;
  /** Every session gets as far as its first `ReadyForQuery`, and then no answer any more. */
  muteAfterLogin = false;
  /** How many connections came. */
  connections = 0;
  readonly #server = createServer((client) => void this.#forward(client));
  readonly #sockets = new Set<Socket>();
  readonly #muted = new Set<Socket>();
  readonly #target: number;

  private constructor(target: number) {
    this.#target = target;
  }

  static async start(target: number): Promise<MutingProxy> {
    const proxy = new MutingProxy(target);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** The sessions that are open now get no answer any more. */
  mute(): void {
    for (const socket of this.#sockets) this.#muted.add(socket);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #forward(client: Socket): Promise<void> {
    this.connections += 1;
    this.#sockets.add(client);
    client.on('error', () => undefined).on('close', () => this.#sockets.delete(client));
    await sleep(this.delayMs);
    const server = connect(this.#target, '127.0.0.1');
    server.on('error', () => undefined);
    client.pipe(server);
    server.on('data', (chunk) => {
      if (this.#muted.has(client)) return;
      const end = this.muteAfterLogin ? chunk.indexOf(ready) : -1;
      if (end >= 0) this.#muted.add(client);
      client.write(end >= 0 ? chunk.subarray(0, end + ready.length) : chunk);
    });
    server.on('close', () => client.destroy());
    client.on('close', () => server.destroy());
  }
}
