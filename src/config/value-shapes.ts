import { isIP } from 'node:net';

import { z } from 'zod';

import { valueDocs } from './variable-docs.ts';

export const required = () => z.string({ error: 'is required' });

/** One of a few words. */
export const choice = <const Words extends readonly [string, ...string[]]>(...words: Words) =>
  z.enum(words, { error: `must be ${words.slice(0, -1).join(', ')} or ${words.at(-1) ?? ''}` });

export const kubernetesName = () =>
  required()
    .regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/, 'must be a Kubernetes name: a-z, 0-9 and - in between')
    .max(63, 'must have at most 63 characters')
    .register(valueDocs, { looksLike: 'a Kubernetes name' });

/** The name of an object, which may have dots. */
export const kubernetesObjectName = () =>
  required()
    .regex(
      /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/,
      'must be the name of a Kubernetes object: a-z and 0-9, with - and single dots in between',
    )
    .max(253, 'must have at most 253 characters')
    .register(valueDocs, { looksLike: 'a Kubernetes name' });

const hostName =
  /^(?=.{1,253}$)[A-Za-z0-9]([-A-Za-z0-9]*[A-Za-z0-9])?(\.[A-Za-z0-9]([-A-Za-z0-9]*[A-Za-z0-9])?)*$/;

/** An address to listen on. */
export const listenAddress = () =>
  z
    .string()
    .refine((text) => isIP(text) !== 0 || hostName.test(text), 'must be an IP address or a host name')
    .register(valueDocs, { looksLike: 'an IP address or a host name' });

/** A whole number. `why` goes on with the message, e.g. `: it must leave room for ...`. */
export const integer = (min: number, max: number, standard: number, why = '') => {
  const message = `must be a whole number from ${min} to ${max}${why}`;
  return z
    .string()
    .regex(/^[0-9]{1,9}$/, message)
    .transform(Number)
    .refine((value) => value >= min && value <= max, message)
    .register(valueDocs, { looksLike: `${min} to ${max}` })
    .default(standard);
};
