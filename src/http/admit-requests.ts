import type { FastifyInstance } from 'fastify';

import type { BearerGate } from './bearer.ts';
import type { BodyBytes } from './body-bytes.ts';
import type { Refuse } from './bounded-app.ts';
import { refusals } from './errors.ts';

interface Options {
  readonly gate: BearerGate | undefined;
  readonly bodies: BodyBytes;
  readonly refuse: Refuse;
}

/** What is judged by the head alone, before anything of the body is read. */
export function admitRequests(app: FastifyInstance, { gate, bodies, refuse }: Options): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (gate === undefined || gate.admits(headersOf(request.raw.rawHeaders, 'authorization'))) done();
    else refuse(reply.header('www-authenticate', 'Bearer'), refusals.unauthorized);
  });
  app.addHook('onRequest', (request, reply, done) => {
    const encoding = request.headers['content-encoding'] ?? 'identity';
    if (encoding.toLowerCase() === 'identity') done();
    else refuse(reply, refusals.compressed);
  });
  app.addHook('onRequest', (request, reply, done) => {
    if (bodies.take(request.raw, reply.raw)) done();
    else refuse(reply, refusals.crowded);
  });
  app.addHook('preParsing', (request, reply, payload, done) => {
    // Node leaves the "100 Continue" to us, see `createBoundedServer`.
    if (request.headers.expect !== undefined) reply.raw.writeContinue();
    done(null, payload);
  });
}

/** Every header of that name: Node's own table keeps only the first. */
const headersOf = (raw: readonly string[], name: string): readonly string[] =>
  raw.filter((_value, index) => index % 2 === 1 && raw[index - 1]?.toLowerCase() === name);
