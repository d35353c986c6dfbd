import type { FastifyInstance } from 'fastify';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';

import { refusals, type Refusal } from './errors.ts';
import { rarely } from './rarely.ts';

interface ConnectionError {
  readonly code?: string;
}

/**
 * Answers what Node could not read as a request, in fixed words. A handshake that fails is worth a line, because
 * nobody else on this side hears of a certificate that Metacontroller does not accept.
 */
export function answerClientErrors(onRefusal: (refusal: Refusal) => void) {
  const tellHandshake = rarely(60_000);
  return function (this: FastifyInstance, { code = '' }: ConnectionError, socket: Socket): void {
    if (code.startsWith('ERR_SSL_')) {
      tellHandshake(() => this.log.warn({ code }, 'a TLS handshake failed'));
      socket.destroy();
      return;
    }
    if (!socket.writable || code === 'ECONNRESET' || code.startsWith('ERR_TLS_')) {
      socket.destroy();
      return;
    }
    const refusal = refusalOf(code);
    onRefusal(refusal);
    socket.end(rawAnswer(refusal), () => socket.destroy());
  };
}

function refusalOf(code: string): Refusal {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return refusals.tooSlow;
  return code === 'HPE_HEADER_OVERFLOW' ? refusals.headTooLarge : refusals.unreadable;
}

function rawAnswer({ status, body }: Refusal): string {
  const text = JSON.stringify(body);
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    'connection: close',
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(text)}`,
    '',
    text,
  ].join('\r\n');
}
