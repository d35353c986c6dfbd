import { readFileSync } from 'node:fs';

import { parse } from 'yaml';
import { z } from 'zod';

import type { KubeObject } from '../kubernetes/client.ts';

const manifests = ['postgresqlinstance-controller.yaml', 'postgresqltenant-controller.yaml'];

const manifest = z.looseObject({
  apiVersion: z.string(),
  kind: z.literal('CompositeController'),
  metadata: z.looseObject({ name: z.string() }),
  spec: z.looseObject({
    hooks: z.record(z.string(), z.looseObject({ webhook: z.looseObject({ url: z.string() }) })),
  }),
});

export interface ControllerOverrides {
  /** PEM, for a hook that is called over TLS. */
  caBundle?: string;
  /** Where Metacontroller finds the bearer token that it shows to the hook. */
  authorization?: { secretRef: { name: string; namespace: string; key: string } };
  /** Go duration for every hook. */
  timeout?: string;
  resyncPeriodSeconds?: number;
}

/** The CompositeControllers that the product ships; only the origin of their hooks is replaced by that of `hookUrl`. */
export const controllersFor = (hookUrl: string, overrides: ControllerOverrides = {}): KubeObject[] =>
  manifests.map((file) => {
    const path = new URL(`../../../metacontroller/${file}`, import.meta.url);
    const controller = manifest.parse(parse(readFileSync(path, 'utf8')));
    const { resyncPeriodSeconds } = overrides;
    const hooks = Object.entries(controller.spec.hooks).map(([name, hook]) => [
      name,
      { ...hook, webhook: webhookAt(hook.webhook, hookUrl, overrides) },
    ]);
    return {
      ...controller,
      spec: {
        ...controller.spec,
        ...(resyncPeriodSeconds === undefined ? {} : { resyncPeriodSeconds }),
        hooks: Object.fromEntries(hooks) as Record<string, unknown>,
      },
    };
  });

const webhookAt = (
  webhook: { url: string; [key: string]: unknown },
  hookUrl: string,
  { caBundle, authorization, timeout }: ControllerOverrides,
): Record<string, unknown> => ({
  ...webhook,
  url: new URL(new URL(webhook.url).pathname, hookUrl).href,
  ...(caBundle === undefined ? {} : { caBundle: { inline: caBundle } }),
  ...(authorization === undefined ? {} : { authorization }),
  ...(timeout === undefined ? {} : { timeout }),
});
