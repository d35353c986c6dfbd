import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export interface Connections {
  /** The connection is not given up before this response is over. */
  readonly work: (socket: Socket, response: ServerResponse) => void;
  /** The connection brought a request that was let in: it is the last to be given up. */
  readonly trust: (socket: Socket) => void;
  readonly end: (socket: Socket) => void;
  /** Ends those that no request is worked on for. */
  readonly endIdle: () => void;
  readonly endAll: () => void;
}

interface Connection {
  readonly key: string;
  readonly socket: Socket;
  trusted: boolean;
  underWay: number;
}

/**
 * Bounds how many connections are open. Turning the next one away would let anybody lock Metacontroller out with silent
 * connections; so when all places are taken, the one is ended that has been without a request for longest, those that
 * never brought one that was let in (or never got through their TLS handshake) first. Only while a request is worked
 * on for each of them is the new one turned away, and these are bounded in number and time.
 */
export function boundConnections(server: Server, limit: number): Connections {
  /** The longest unused first. */
  const open = new Map<string, Connection>();
  const of = (socket: Socket) => open.get(keyOf(socket));
  const close = (connection: Connection | undefined) => {
    if (connection === undefined) return;
    open.delete(connection.key);
    connection.socket.destroy();
  };
  const idle = () => [...open.values()].filter(({ underWay }) => underWay === 0);
  server.on('connection', (socket: Socket) => {
    if (open.size >= limit) close(idle().find(({ trusted }) => !trusted) ?? idle()[0]);
    if (open.size >= limit) {
      socket.destroy();
      return;
    }
    const connection = { key: keyOf(socket), socket, trusted: false, underWay: 0 };
    open.set(connection.key, connection);
    socket.once('close', () => {
      if (open.get(connection.key) === connection) open.delete(connection.key);
    });
  });
  return {
    work: (socket, response) => {
      const connection = of(socket);
      if (connection === undefined) return;
      connection.underWay += 1;
      response.once('close', () => {
        connection.underWay -= 1;
        if (open.get(connection.key) !== connection) return;
        open.delete(connection.key);
        open.set(connection.key, connection);
      });
    },
    trust: (socket) => {
      const connection = of(socket);
      if (connection !== undefined) connection.trusted = true;
    },
    end: (socket) => close(of(socket)),
    endIdle: () => idle().forEach(close),
    endAll: () => [...open.values()].forEach(close),
  };
}

/** Both ends: over TLS a request has another socket object than the connection that it came on. */
const keyOf = ({ remoteAddress = '', remotePort = 0, localAddress = '' }: Socket): string =>
  `${remoteAddress} ${remotePort} ${localAddress}`;
