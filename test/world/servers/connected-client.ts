import pg from 'pg';

/** A client that is logged in. A server that ends its session is told of by the call under way, or by the next one. */
export async function connectedClient(config: pg.ClientConfig): Promise<pg.Client> {
  const client = new pg.Client(config);
  // Nobody would listen in between, and that would end this process.
  client.on('error', () => undefined);
  await client.connect();
  return client;
}
