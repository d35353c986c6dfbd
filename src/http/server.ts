import { constants } from 'node:crypto';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createHttpsServer, Server as HttpsServer } from 'node:https';
import { createSecureContext } from 'node:tls';

import type { ServerLimits } from './limits.ts';
import { oneAtATime } from './one-at-a-time.ts';
import { StoppableRequest } from './stoppable-request.ts';

/** PEM: the certificate with those between it and the CA, and its private key. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

interface Options {
  readonly limits: ServerLimits;
  /** Undefined: plain HTTP. */
  readonly certificate?: Certificate | undefined;
  /** Milliseconds that a connection may be silent in both directions while a request is worked on. */
  readonly silenceMs: number;
}

/** How often Node looks for heads and requests that take too long. */
const checkIntervalMs = 5_000;

/** A server that is bounded in everything that Node can bound; not yet listening. */
export function createBoundedServer(
  answer: RequestListener,
  { limits, certificate, silenceMs }: Options,
): Server {
  const listener = oneAtATime(answer);
  const options = {
    IncomingMessage: StoppableRequest,
    maxHeaderSize: limits.headBytes,
    headersTimeout: limits.headMs,
    requestTimeout: limits.requestMs,
    keepAliveTimeout: limits.idleMs,
    connectionsCheckingInterval: Math.min(checkIntervalMs, limits.headMs),
    // The app refuses it in its own words.
    requireHostHeader: false,
  };
  const server =
    certificate === undefined
      ? createServer(options, listener)
      : createHttpsServer(
          {
            ...options,
            ...secureOptions(certificate),
            // Go offers HTTP/2 as well; one request for each connection is what all these limits are made for.
            ALPNProtocols: ['http/1.1'],
            handshakeTimeout: limits.handshakeMs,
          },
          listener,
        );
  server.maxHeadersCount = limits.headers;
  server.maxRequestsPerSocket = limits.requestsPerConnection;
  server.timeout = silenceMs;
  // Who is not let in is not asked for its body either: the app says when to go on.
  for (const event of ['checkContinue', 'checkExpectation'] as const)
    server.on(event, (request, response) => server.emit('request', request, response));
  return server;
}

/** Throws when OpenSSL cannot use it with all that a server of ours asks for. */
export function checkCertificate(certificate: Certificate): void {
  createSecureContext(secureOptions(certificate));
}

/** New connections get this certificate; those that are open go on as they are. Throws when OpenSSL cannot use it. */
export function replaceCertificate(server: Server, certificate: Certificate): void {
  if (server instanceof HttpsServer) server.setSecureContext(secureOptions(certificate));
}

/** What Go and every other client of today speak; no cipher without forward secrecy or authenticated encryption. */
const ciphers = [
  'TLS_AES_128_GCM_SHA256',
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
].join(':');

/** All of it each time: `setSecureContext` forgets what it is not told. */
const secureOptions = ({ cert, key }: Certificate) => ({
  cert,
  key,
  minVersion: 'TLSv1.2' as const,
  ciphers,
  // In TLS 1.2 a client could make us repeat the dear part of the handshake.
  secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
});
