import { createHash } from 'node:crypto';

import type { ObjectMeta } from '../kubernetes/client.ts';

/** A Go map as `%+v` prints it: the keys sorted. */
const goMap = (map: Readonly<Record<string, string>> = {}): string => {
  const pairs = Object.keys(map)
    .sort()
    .map((key) => `${key}:${map[key] ?? ''}`);
  return `map[${pairs.join(' ')}]`;
};

const sha3 = (text: string): string => createHash('sha3-224').update(text).digest('hex');

/** `<generation>-<hash>` over what makes External Secrets fetch again when it changes. */
export const resourceVersionOf = ({ generation = 0, annotations, labels }: ObjectMeta): string =>
  `${generation}-${sha3(`{annotations:${goMap(annotations)} labels:${goMap(labels)}}`)}`;

/** Of the data of a Secret, which is given in base64 and hashed as Go prints bytes; shows an edit by somebody else. */
export const dataHash = (data: Readonly<Record<string, string>> = {}): string =>
  sha3(goMap(Object.fromEntries(Object.entries(data).map(([key, value]) => [key, goBytes(value)]))));

const goBytes = (base64: string): string => `[${[...Buffer.from(base64, 'base64')].join(' ')}]`;

/** Ties a Secret to the ExternalSecret that made it; fits a label value. */
export const creatorHash = (namespace: string, name: string): string => sha3(`${namespace}/${name}`);
