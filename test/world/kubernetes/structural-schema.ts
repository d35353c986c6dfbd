/** A CEL rule as it stands in `x-kubernetes-validations`. */
export interface Rule {
  readonly rule: string;
  readonly message?: string;
  readonly messageExpression?: string;
  readonly reason?: string;
  readonly fieldPath?: string;
  readonly optionalOldSelf?: boolean;
}

/** The OpenAPI v3 subset that CustomResourceDefinitions may use (apiextensions.k8s.io/v1, JSONSchemaProps). */
export interface Schema {
  readonly type?: string;
  readonly format?: string;
  readonly nullable?: boolean;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: boolean;
  readonly exclusiveMaximum?: boolean;
  readonly multipleOf?: number;
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly required?: readonly string[];
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly not?: Schema;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
  readonly 'x-kubernetes-int-or-string'?: boolean;
  readonly 'x-kubernetes-embedded-resource'?: boolean;
  readonly 'x-kubernetes-list-type'?: string;
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-map-type'?: string;
  readonly 'x-kubernetes-validations'?: readonly Rule[];
}

/** What the value under `key` must look like; undefined: the schema does not know that key. */
export function memberSchema(schema: Schema, key: string): Schema | undefined {
  const property = Object.hasOwn(schema.properties ?? {}, key) ? schema.properties?.[key] : undefined;
  if (property !== undefined) return property;
  if (schema.additionalProperties === true) return { 'x-kubernetes-preserve-unknown-fields': true };
  return schema.additionalProperties === false ? undefined : schema.additionalProperties;
}

/** `a.b` below the root, `b` at the root. */
export const childPath = (path: string, key: string): string => (path === '' ? key : `${path}.${key}`);
