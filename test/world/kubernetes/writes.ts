import type { ApiAnswer, ApiRequest } from './api-request.ts';
import type { ApiState } from './api-state.ts';
import { decode, encode, strictFault, type Decoded, type Endpoint } from './decode.ts';
import { readDeleteOptions } from './deletion.ts';
import { endpointOf, storedObject } from './endpoint.ts';
import type { Writer } from './managed-fields.ts';
import { applyPatch } from './patch.ts';
import { requestOnly } from './request-only.ts';
import { badRequest, methodNotAllowed } from './status-error.ts';

type Handler = (state: ApiState, request: ApiRequest, endpoint: Endpoint) => ApiAnswer;

const handlers: Readonly<Record<string, Handler>> = {
  POST: create,
  PUT: update,
  PATCH: patch,
  DELETE: remove,
};

/** Every request that changes something. */
export function write(state: ApiState, request: ApiRequest): ApiAnswer {
  const handler = handlers[request.method];
  if (handler === undefined) throw methodNotAllowed();
  // Writing for real what was to be tried out would be worse than refusing.
  if (request.query.has('dryRun')) throw badRequest('dryRun is not supported here');
  const unstored = requestOnly(request);
  if (unstored !== undefined) return unstored(state, request);
  return handler(state, request, endpointOf(state, request.path));
}

function create(state: ApiState, request: ApiRequest, endpoint: Endpoint): ApiAnswer {
  const { namespace, name } = request.path;
  if (name !== undefined || (endpoint.type.isNamespaced && namespace === undefined)) throw methodNotAllowed();
  const decoded = decodeBody(request.body, request, endpoint);
  const created = state.lifecycle.create(endpoint, decoded.object, namespace, writerOf(request));
  return { code: 201, body: encode(created, endpoint), warnings: warningsOf(decoded) };
}

function update(state: ApiState, request: ApiRequest, endpoint: Endpoint): ApiAnswer {
  if (request.path.name === undefined) throw methodNotAllowed();
  return replace(state, request, endpoint, request.body);
}

function patch(state: ApiState, request: ApiRequest, endpoint: Endpoint): ApiAnswer {
  if (request.path.name === undefined) throw methodNotAllowed();
  const old = encode(storedObject(state, endpoint, request.path), endpoint);
  return replace(state, request, endpoint, applyPatch(old, request.body, request.contentType));
}

function replace(state: ApiState, request: ApiRequest, endpoint: Endpoint, body: unknown): ApiAnswer {
  const { path } = request;
  const old = storedObject(state, endpoint, path);
  const decoded = decodeBody(body, request, endpoint);
  const { name, namespace = '' } = decoded.object.metadata;
  if (name !== path.name)
    throw badRequest(
      `the name of the object (${name}) does not match the name on the URL (${String(path.name)})`,
    );
  if (namespace !== '' && namespace !== path.namespace)
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  const updated = state.lifecycle.update(endpoint, old, decoded.object, writerOf(request));
  return { code: 200, body: encode(updated, endpoint), warnings: warningsOf(decoded) };
}

function remove(state: ApiState, request: ApiRequest, endpoint: Endpoint): ApiAnswer {
  const { path } = request;
  if (path.name === undefined || path.subresource !== '') throw methodNotAllowed();
  const object = storedObject(state, endpoint, path);
  const options = readDeleteOptions(request.body, request.query);
  const left = state.lifecycle.delete(endpoint.type, object, options);
  if (left !== undefined) return { code: 200, body: encode(left, endpoint) };
  const { plural, group } = endpoint.type;
  return {
    code: 200,
    body: {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Success',
      details: { name: path.name, group, kind: plural, uid: object.metadata.uid },
    },
  };
}

function decodeBody(body: unknown, request: ApiRequest, endpoint: Endpoint): Decoded {
  const decoded = decode(body, endpoint);
  if (request.query.get('fieldValidation') === 'Strict' && decoded.unknownFields.length > 0)
    throw strictFault(endpoint, decoded.unknownFields);
  return decoded;
}

const warningsOf = ({ unknownFields }: Decoded): string[] =>
  unknownFields.map((field) => `unknown field "${field}"`);

const writerOf = ({ query, userAgent, path }: ApiRequest): Writer => ({
  manager: query.get('fieldManager') ?? userAgent.split('/')[0] ?? '',
  subresource: path.subresource,
});
