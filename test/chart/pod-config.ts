import type { Config } from '../../src/config/config.ts';
import { readConfig } from '../../src/config/read-config.ts';
import { files, hookToken } from '../config/example.ts';
import type { podOf } from './pod.ts';

/** What the kubelet would mount at a path, judged by its name. Real certificates come from `issueFiles`. */
function contentOf(path: string): string | undefined {
  if (path.endsWith('ca.crt')) return files['/api/ca.crt'];
  if (path.endsWith('/tokens')) return hookToken;
  if (path.endsWith('/token')) return files['/api/token'];
  return files[`/tls/${path.split('/').at(-1) ?? ''}`];
}

/**
 * What the operator reads from the variables of its Pod; `namespace` is that of the Pod.
 *
 * @throws Error with every fault, also where a file is not below a mounted path
 */
export function podConfig({ containers: [container] }: ReturnType<typeof podOf>, namespace: string): Config {
  const given = Object.fromEntries(container.env.map(({ name, value }) => [name, value ?? namespace]));
  return readConfig(given, (path) => {
    const mounted = container.volumeMounts.some(({ mountPath }) => path.startsWith(`${mountPath}/`));
    const text = mounted ? contentOf(path) : undefined;
    if (text === undefined) throw new Error(`ENOENT ${path}`);
    return text;
  });
}
