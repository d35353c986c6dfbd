import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** Changes what the server sent, in place or not; the client gets what is returned. */
export type Tamper = (chunk: Buffer) => Buffer;

export interface TamperingProxy {
  readonly port: number;
  /** From now on the server is seen like this. */
  tamper: Tamper;
  close(): Promise<void>;
}

/** A stand-in before a PostgreSQL on loopback, without TLS: it hands everything on, and what the server says changed. */
export async function startTamperingProxy(serverPort: number, tamper: Tamper): Promise<TamperingProxy> {
  const sockets = new Set<Socket>();
  const listener = createServer((client) => {
    const server = connect(serverPort, '127.0.0.1');
    for (const socket of [client, server]) {
      sockets.add(socket);
      socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    }
    client.pipe(server);
    server.on('data', (chunk) => client.write(proxy.tamper(chunk)));
    server.on('close', () => client.destroy());
    client.on('close', () => server.destroy());
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const proxy: TamperingProxy = {
    port: (listener.address() as AddressInfo).port,
    tamper,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      listener.close();
      await once(listener, 'close');
    },
  };
  return proxy;
}

export const asItIs: Tamper = (chunk) => chunk;

/** Type and length of BackendKeyData; the process id follows. */
const keyData = Buffer.from([0x4b, 0, 0, 0, 12]);

/** As a connection pooler: it announces a process id of its own. */
export const asPooler: Tamper = (chunk) => {
  const index = chunk.indexOf(keyData);
  if (index >= 0) chunk.writeInt32BE(1, index + keyData.length);
  return chunk;
};

/** As a server of version 14, wherever it tells its version. The texts are as long as those of a 17.x. */
export const asVersion14: Tamper = (chunk) =>
  Buffer.from(
    chunk
      .toString('latin1')
      .replaceAll(/\b17(\.\d+)\b/g, '14$1')
      .replaceAll(/\b17(\d{4})\b/g, '14$1'),
    'latin1',
  );
