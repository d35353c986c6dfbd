import type { KubeObject } from './client.ts';
import { defaultObject } from './defaults.ts';
import { isObject, type JsonObject } from './json.ts';
import { coerceMeta } from './object-meta.ts';
import { pruneObject } from './prune.ts';
import { apiVersionOf, type ResourceType } from './resource-type.ts';
import { badRequest, noSuchResource } from './status-error.ts';
import type { Schema } from './structural-schema.ts';

/** A resource in one of its served versions. */
export interface Endpoint {
  readonly type: ResourceType;
  readonly version: string;
}

export const schemaOf = ({ type, version }: Endpoint): Schema => {
  const served = type.versions[version];
  if (served === undefined) throw noSuchResource();
  return served.schema;
};

export interface Decoded {
  /** Pruned and defaulted, in the storage version's apiVersion. */
  readonly object: KubeObject;
  readonly unknownFields: readonly string[];
}

/** Reads a request body as an object of this endpoint; throws 400 for another kind or version. */
export function decode(body: unknown, endpoint: Endpoint): Decoded {
  if (!isObject(body)) throw badRequest('the body of the request is not a JSON object');
  checkTypeMeta(body, endpoint);
  const schema = schemaOf(endpoint);
  const unknownFields: string[] = [];
  const metadata = coerceMeta(body['metadata'], unknownFields);
  const pruned = pruneObject(body, schema, unknownFields);
  const { type } = endpoint;
  const object = {
    ...defaultObject(pruned, schema),
    apiVersion: apiVersionOf(type.group, type.storageVersion),
    kind: type.kind,
    metadata,
  };
  return { object, unknownFields };
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

function checkTypeMeta(body: JsonObject, { type, version }: Endpoint): void {
  const wanted = apiVersionOf(type.group, version);
  const apiVersion = textOf(body['apiVersion']) ?? (type.defaultsTypeMeta ? wanted : '');
  const kind = textOf(body['kind']) ?? (type.defaultsTypeMeta ? type.kind : '');
  if (kind === '') throw badRequest(`Object 'Kind' is missing in '${JSON.stringify(body)}'`);
  if (apiVersion !== wanted)
    throw badRequest(
      `the API version in the data (${apiVersion}) does not match the expected API version (${wanted})`,
    );
  if (kind !== type.kind)
    throw badRequest(`${kind} in version "${version}" cannot be handled as a ${type.kind}`);
}

/** What `fieldValidation=Strict` answers. */
export function strictFault({ type, version }: Endpoint, unknownFields: readonly string[]): Error {
  const list = unknownFields.map((field) => `unknown field "${field}"`).join(', ');
  return badRequest(
    `${type.kind} in version "${version}" cannot be handled as a ${type.kind}: strict decoding error: ${list}`,
  );
}

/** The stored object as this endpoint shows it. */
export function encode(object: KubeObject, { type, version }: Endpoint): KubeObject {
  const apiVersion = apiVersionOf(type.group, version);
  return object.apiVersion === apiVersion ? object : { ...object, apiVersion };
}
