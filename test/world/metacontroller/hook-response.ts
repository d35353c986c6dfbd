import { z } from 'zod';

import type { KubeObject } from '../kubernetes/client.ts';
import type { HookName } from './composite-controller.ts';
import { labelSelector } from './label-selector.ts';

/** The real process ends here and restarts in a loop, with every controller that it runs. */
export class HookPanic extends Error {
  constructor(message: string) {
    super(`panic: ${message}`);
    this.name = 'HookPanic';
  }
}

const child = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({ name: z.string() }),
});

// Version v2 decodes strictly: an unknown key fails the whole sync. Null stands for "left out".
const compositeResponse = z.strictObject({
  status: z.record(z.string(), z.unknown()).nullish(),
  children: z.array(child).nullish(),
  resyncAfterSeconds: z.number().nullish(),
  finalized: z.boolean().nullish(),
});

const relatedRule = z.strictObject({
  apiVersion: z.string(),
  resource: z.string(),
  labelSelector: labelSelector.nullish(),
  namespace: z.string().nullish(),
  names: z.array(z.string()).nullish(),
});

const customizeResponse = z.strictObject({ relatedResources: z.array(relatedRule).nullish() });

export interface CompositeResponse {
  status: Record<string, unknown>;
  children: KubeObject[];
  resyncAfterSeconds: number;
  finalized: boolean;
}

export type RelatedRule = z.infer<typeof relatedRule>;

/** The answer to sync or finalize. Throws HookPanic for a null among the children, else an Error that says what is wrong. */
export const decodeCompositeResponse = (hook: HookName, text: string): CompositeResponse => {
  const json = parseJson(hook, text);
  if (hasNullChild(json)) throw new HookPanic('null in the children of a hook response');
  const { status, children, resyncAfterSeconds, finalized } = decode(hook, compositeResponse, json);
  return {
    status: status ?? {},
    children: children ?? [],
    resyncAfterSeconds: resyncAfterSeconds ?? 0,
    finalized: finalized ?? false,
  };
};

/** The answer to customize. */
export const decodeCustomizeResponse = (text: string): RelatedRule[] => {
  const rules = decode('customize', customizeResponse, parseJson('customize', text)).relatedResources ?? [];
  for (const rule of rules) {
    if ((rule.names?.length ?? 0) > 0 && rule.labelSelector != null)
      throw new Error('related rule cannot have both names and labelSelector specified');
  }
  return rules;
};

const parseJson = (hook: HookName, text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`${notUnderstood(hook)}: ${String(error)}`, { cause: error });
  }
};

const notUnderstood = (hook: HookName): string =>
  `can't unmarshal webhookResponse (version: v2, type: ${hook})`;

const decode = <T>(hook: HookName, schema: z.ZodType<T>, json: unknown): T => {
  // Null as a whole is an answer that leaves everything out, as Go decodes it.
  const { data, error } = schema.safeParse(json ?? {});
  if (error === undefined) return data;
  const unknown = error.issues.flatMap((issue) => (issue.code === 'unrecognized_keys' ? issue.keys : []));
  if (unknown.length < error.issues.length)
    throw new Error(`${notUnderstood(hook)}: ${z.prettifyError(error)}`);
  const fields = unknown.map((field) => `unknown field "${field}"`);
  throw new Error(
    `strict validation failed for v2 webhookResponse (type: ${hook}, mode: strict): ${fields.join(', ')}`,
  );
};

const hasNullChild = (json: unknown): boolean =>
  typeof json === 'object' &&
  json !== null &&
  'children' in json &&
  Array.isArray(json.children) &&
  json.children.includes(null);
