import type { ServerResponse } from 'node:http';

import { startHttpStub } from '../http-stub.ts';

/** A Kubernetes API that keeps every request until `answer` is called. */
export const startHeldKubernetes = async () => {
  const held: ServerResponse[] = [];
  const stub = await startHttpStub((_request, response) => {
    held.push(response);
    return undefined;
  });
  const answer = () => {
    for (const response of held.splice(0)) {
      response.writeHead(404, { 'content-type': 'application/json' });
      response.end(
        JSON.stringify({
          kind: 'Status',
          apiVersion: 'v1',
          status: 'Failure',
          reason: 'NotFound',
          code: 404,
        }),
      );
    }
  };
  return { url: stub.url, held, answer, [Symbol.asyncDispose]: () => stub[Symbol.asyncDispose]() };
};
