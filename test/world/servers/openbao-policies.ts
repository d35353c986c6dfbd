import { readFile } from 'node:fs/promises';

import { callOpenBao } from './openbao-api.ts';
import type { OpenBao } from './openbao.ts';

type PolicyFile = 'openbao-policy' | 'openbao-reader-policy' | 'openbao-namespace-reader-policy';

interface Names {
  readonly mount: string;
  readonly installation: string;
  /** Of the Kubernetes auth mount. */
  readonly accessor?: string;
}

/** The documented policy with names in place of its placeholders: what is documented is what is tested. */
export async function documentedPolicy(file: PolicyFile, names: Names): Promise<string> {
  const text = await readFile(new URL(`../../../docs/${file}.hcl`, import.meta.url), 'utf8');
  const filled = Object.entries(names).reduce(
    (filling, [name, value]) => filling.replaceAll(`<${name}>`, value as string),
    text,
  );
  const rules = filled.replaceAll(/^#.*$/gm, '');
  if (/<[a-z]+>/.test(rules)) throw new Error(`${file}: a placeholder is left`);
  return rules;
}

export async function writePolicy(bao: OpenBao, name: string, policy: string): Promise<void> {
  await callOpenBao(bao.root, { method: 'POST', path: `sys/policies/acl/${name}`, body: { policy } });
}
