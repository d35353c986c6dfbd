import type { IncomingMessage, ServerResponse } from 'node:http';

import type { ApiAnswer, ApiRequest } from './api-request.ts';
import { readPath } from './request-path.ts';
import { badRequest, statusBody, StatusError, unsupportedMediaType } from './status-error.ts';

/** As kube-apiserver: 3 MiB. */
const maximumBody = 3 * 1024 * 1024;

/** Reads the whole request; throws 400, 404, 413 or 415 for one that makes no sense. */
export async function readRequest(message: IncomingMessage, user: string | undefined): Promise<ApiRequest> {
  const url = new URL(message.url ?? '/', 'http://localhost');
  const contentType = (message.headers['content-type'] ?? 'application/json').split(';')[0] ?? '';
  const text = await readText(message);
  return {
    method: message.method ?? 'GET',
    path: readPath(url.pathname),
    query: url.searchParams,
    body: text === '' ? undefined : parseBody(text, contentType),
    contentType,
    userAgent: message.headers['user-agent'] ?? '',
    user,
  };
}

async function readText(message: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of message as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maximumBody)
      throw new StatusError(413, 'RequestEntityTooLarge', `limit is ${maximumBody} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parseBody(text: string, contentType: string): unknown {
  if (!contentType.endsWith('json')) throw unsupportedMediaType(contentType);
  try {
    return JSON.parse(text);
  } catch {
    throw badRequest('the body of the request is not valid JSON');
  }
}

export function sendAnswer(response: ServerResponse, { code, body, warnings = [] }: ApiAnswer): void {
  if (warnings.length > 0)
    response.setHeader(
      'warning',
      warnings.map((warning) => `299 - ${JSON.stringify(warning)}`),
    );
  response.writeHead(code, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

/** Anything that is not a StatusError is a bug of the stand-in; the test that met it should see what it was. */
export function answerForError(error: unknown): ApiAnswer {
  if (error instanceof StatusError) return { code: error.code, body: statusBody(error) };
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { code: 500, body: statusBody(new StatusError(500, 'InternalError', text)) };
}
