import type { LookupAddress } from 'node:dns';
import { Socket, type LookupFunction, type TcpSocketConnectOpts } from 'node:net';

/** Finds the addresses of a host name; the promise is bounded in time. */
export type AddressesOf = (host: string) => Promise<readonly LookupAddress[]>;

class DialledSocket extends Socket {
  dial(options: TcpSocketConnectOpts): this {
    return super.connect(options);
  }
}

/** For node-postgres, which calls `connect(port, host)`: a socket that finds the addresses of a name in our own way. */
export function namedSocket(addressesOf: AddressesOf): Socket {
  const lookup: LookupFunction = (host, _options, callback) => {
    addressesOf(host).then(
      (addresses) => callback(null, [...addresses]),
      (error: unknown) => callback(error instanceof Error ? error : new Error('no addresses'), []),
    );
  };
  const socket = new DialledSocket();
  return Object.assign(socket, {
    // `autoSelectFamily`: all addresses are asked for, and tried.
    connect: (port: number, host: string) => socket.dial({ port, host, lookup, autoSelectFamily: true }),
  });
}
