import { type AddressInfo, connect } from 'node:net';
import { createServer, type TLSSocket } from 'node:tls';

import type { Certificate } from '../../world/servers/pki.ts';

/** Speaks TLS in front of a server on loopback that speaks plain HTTP. */
export async function startTlsFront(
  target: string,
  { cert, key }: Certificate,
): Promise<{ url: string; close(): Promise<void> }> {
  const { hostname, port } = new URL(target);
  const open = new Set<TLSSocket>();
  const server = createServer({ cert, key }, (socket) => {
    open.add(socket.once('close', () => open.delete(socket)));
    const onward = connect(Number(port), hostname);
    onward.once('error', () => socket.destroy()).once('close', () => socket.destroy());
    socket.once('error', () => onward.destroy()).once('close', () => onward.destroy());
    socket.pipe(onward).pipe(socket);
  });
  server.listen(0, '127.0.0.1');
  await new Promise<void>((resolve, reject) => server.once('listening', resolve).once('error', reject));
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of open) socket.destroy();
      }),
  };
}
