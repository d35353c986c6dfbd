import { z } from 'zod';

/** `rule`: CEL. Transition rules name `oldSelf` and are looked at on updates only. */
const ruleShape = z.strictObject({ rule: z.string().min(1), message: z.string().min(1) });

/**
 * The part of `apiextensions.k8s.io/v1` JSONSchemaProps that our CRDs are made of, in the order in which it is written.
 * Any other keyword (`anyOf`, `const`, `additionalProperties: false`, `nullable`, ...) is refused: what the API
 * server would reject, or silently ignore, must not get as far as a file.
 */
const nodeShape = z.strictObject({
  description: z.string().min(1).optional(),
  type: z.enum(['array', 'boolean', 'integer', 'object', 'string']),
  format: z.enum(['date-time', 'int32', 'int64']).optional(),
  enum: z.array(z.string()).min(1).optional(),
  default: z.json().optional(),
  pattern: z.string().optional(),
  minLength: z.int().optional(),
  maxLength: z.int().optional(),
  minimum: z.number().optional(),
  exclusiveMinimum: z.boolean().optional(),
  maximum: z.number().optional(),
  exclusiveMaximum: z.boolean().optional(),
  minItems: z.int().optional(),
  maxItems: z.int().optional(),
  minProperties: z.int().optional(),
  maxProperties: z.int().optional(),
  'x-kubernetes-list-type': z.enum(['map', 'set']).optional(),
  'x-kubernetes-list-map-keys': z.array(z.string()).min(1).optional(),
  'x-kubernetes-validations': z.array(ruleShape).min(1).optional(),
  required: z.array(z.string()).optional(),
  get properties() {
    return z.record(z.string(), nodeShape).optional();
  },
  get additionalProperties() {
    return nodeShape.optional();
  },
  get items() {
    return nodeShape.optional();
  },
});

export type Rule = z.infer<typeof ruleShape>;
export type StructuralSchema = z.infer<typeof nodeShape>;

/** `spec` may have defaults; a default in `status` would be written by the API server over what we reported. */
export type Part = 'spec' | 'status';

/**
 * The input side of a zod shape as a structural schema for a CRD. Throws when the shape uses something that Kubernetes
 * does not take, or leaves a string, list or map without a bound: the API server refuses CEL rules whose cost it
 * cannot bound.
 */
export function structuralSchema(shape: z.ZodType, part: Part): StructuralSchema {
  const parsed = nodeShape.safeParse(jsonSchemaOf(shape));
  if (!parsed.success) throw new Error(`${part} is not structural:\n${z.prettifyError(parsed.error)}`);
  const faults = faultsOf(parsed.data, part, part);
  if (faults.length > 0) throw new Error(`cannot generate a schema:\n${faults.join('\n')}`);
  return parsed.data;
}

/** The draft of OpenAPI 3.0 has exclusive bounds as booleans, as Kubernetes has them. */
const jsonSchemaOf = (shape: z.ZodType): unknown =>
  z.toJSONSchema(shape, {
    io: 'input',
    target: 'openapi-3.0',
    reused: 'inline',
    // The bounds that zod gives to every integer say nothing.
    override: ({ jsonSchema }) => {
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    },
  });

function faultsOf(node: StructuralSchema, path: string, part: Part): string[] {
  const { properties = {}, additionalProperties, items } = node;
  return [
    ...boundFaults(node).map((fault) => `${path}: ${fault}`),
    ...(part === 'status' && node.default !== undefined ? [`${path}: a default under status`] : []),
    ...Object.entries(properties)
      .filter(([, property]) => property.description === undefined)
      .map(([key]) => `${path}.${key}: no description`),
    ...Object.entries(properties).flatMap(([key, property]) => faultsOf(property, `${path}.${key}`, part)),
    ...(additionalProperties === undefined ? [] : faultsOf(additionalProperties, `${path}.*`, part)),
    ...(items === undefined ? [] : faultsOf(items, `${path}[]`, part)),
  ];
}

function boundFaults(node: StructuralSchema): string[] {
  const { type, items, properties, additionalProperties } = node;
  switch (type) {
    case 'string':
      return node.maxLength === undefined && node.enum === undefined ? ['no maxLength'] : [];
    case 'array':
      return [
        ...(node.maxItems === undefined ? ['no maxItems'] : []),
        ...(items === undefined ? ['no items'] : []),
      ];
    case 'object':
      if ((properties === undefined) === (additionalProperties === undefined))
        return ['must have either properties or additionalProperties'];
      return additionalProperties !== undefined && node.maxProperties === undefined
        ? ['no maxProperties']
        : [];
    case 'integer':
    case 'boolean':
      return [];
  }
}
