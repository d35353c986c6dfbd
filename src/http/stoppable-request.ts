import { IncomingMessage } from 'node:http';

/**
 * A request that nothing is read after once its connection was ended. Node reads a piece that has arrived to its end and
 * makes a request and a response for each head in it, a thousand times what the head takes; what asks for an upgrade
 * stops it, because HTTP ends there.
 */
export class StoppableRequest extends IncomingMessage {
  asksForUpgrade: unknown;

  get upgrade(): unknown {
    return this.socket.destroyed || this.asksForUpgrade;
  }

  set upgrade(asked: unknown) {
    this.asksForUpgrade = asked;
  }
}
