import { describe, type FieldError } from './field-error.ts';
import type { JsonObject } from './json.ts';

/** The API's answer when it refuses: becomes a `Status` body of this HTTP code. */
export class StatusError extends Error {
  readonly code: number;
  readonly reason: string;
  /** Which object the answer is about; `kind` holds the plural, as the real server has it. */
  readonly details: JsonObject | undefined;

  constructor(code: number, reason: string, message: string, details?: JsonObject) {
    super(message);
    this.name = 'StatusError';
    this.code = code;
    this.reason = reason;
    this.details = details;
  }
}

interface Named {
  readonly group: string;
  readonly plural: string;
  readonly kind: string;
}

const detailsOf = ({ group, plural }: Named, name: string): JsonObject => ({
  name,
  ...(group === '' ? {} : { group }),
  kind: plural,
});

const qualified = (word: string, group: string): string => (group === '' ? word : `${word}.${group}`);

export const badRequest = (message: string): StatusError => new StatusError(400, 'BadRequest', message);

export const noSuchResource = (): StatusError =>
  new StatusError(404, 'NotFound', 'the server could not find the requested resource');

export const notFound = (type: Named, name: string): StatusError =>
  new StatusError(
    404,
    'NotFound',
    `${qualified(type.plural, type.group)} "${name}" not found`,
    detailsOf(type, name),
  );

export const alreadyExists = ({ plural, group }: Named, name: string): StatusError =>
  new StatusError(409, 'AlreadyExists', `${qualified(plural, group)} "${name}" already exists`);

export const conflict = ({ plural, group }: Named, name: string, why: string): StatusError =>
  new StatusError(
    409,
    'Conflict',
    `Operation cannot be fulfilled on ${qualified(plural, group)} "${name}": ${why}`,
  );

export const refused = ({ plural, group }: Named, name: string, why: string): StatusError =>
  new StatusError(403, 'Forbidden', `${qualified(plural, group)} "${name}" is forbidden: ${why}`);

export const methodNotAllowed = (): StatusError =>
  new StatusError(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource');

export const unsupportedMediaType = (got: string): StatusError =>
  new StatusError(415, 'UnsupportedMediaType', `the body of the request was in an unknown format: ${got}`);

export const expired = (version: number, oldest: number): StatusError =>
  new StatusError(410, 'Expired', `too old resource version: ${version} (${oldest})`);

/** 422; equal faults are named once, several stand in brackets. */
export function invalidObject(
  { kind, group }: Named,
  name: string,
  errors: readonly FieldError[],
): StatusError {
  const faults = [...new Set(errors.map(describe))];
  const list = faults.length === 1 ? faults.join() : `[${faults.join(', ')}]`;
  return new StatusError(422, 'Invalid', `${qualified(kind, group)} "${name}" is invalid: ${list}`);
}

export const statusBody = (error: StatusError): JsonObject => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message: error.message,
  reason: error.reason,
  ...(error.details === undefined ? {} : { details: error.details }),
  code: error.code,
});
