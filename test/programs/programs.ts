import { createHash } from 'node:crypto';
import { access, constants, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The programs that come from Go modules: where each one's `main` is, and the folder here with its go.mod. */
export const programs = {
  etcd: { module: 'etcd', main: 'go.etcd.io/etcd/server/v3' },
  'kube-apiserver': { module: 'kubernetes', main: 'k8s.io/kubernetes/cmd/kube-apiserver' },
  'kube-controller-manager': { module: 'kubernetes', main: 'k8s.io/kubernetes/cmd/kube-controller-manager' },
  kubectl: { module: 'kubernetes', main: 'k8s.io/kubernetes/cmd/kubectl' },
  helm: { module: 'helm', main: 'helm.sh/helm/v4/cmd/helm' },
  'external-secrets': { module: 'external-secrets', main: 'github.com/external-secrets/external-secrets' },
} as const;

export type ProgramName = keyof typeof programs;

/**
 * What the linker is told, for a module with this go.mod: Kubernetes takes its version from there, and clients ask the server
 * for it. @throws Error when go.mod does not say it
 */
function linkerFlags(module: string, goMod: string): string {
  if (module !== 'kubernetes') return '-s -w';
  const [, major, minor, patch] = /^\tk8s\.io\/kubernetes v(\d+)\.(\d+)\.(\d+)/m.exec(goMod) ?? [];
  if (patch === undefined) throw new Error('go.mod of kubernetes names no version of k8s.io/kubernetes');
  const version = { gitVersion: `v${major}.${minor}.${patch}`, gitMajor: major, gitMinor: minor };
  const values = Object.entries(version).map(
    ([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`,
  );
  return ['-s -w', ...values].join(' ');
}

export const moduleFolder = (name: ProgramName): string =>
  fileURLToPath(new URL(programs[name].module, import.meta.url));

/** The linker's flags for this program. */
export const flagsOf = async (name: ProgramName): Promise<string> =>
  linkerFlags(programs[name].module, await readFile(`${moduleFolder(name)}/go.mod`, 'utf8'));

/** Where the binary belongs: a changed go.mod, go.sum or flag gives another place, so an old build never passes for a new one. */
export async function builtPath(name: ProgramName): Promise<string> {
  const hash = createHash('sha256');
  for (const file of ['go.mod', 'go.sum']) hash.update(await readFile(`${moduleFolder(name)}/${file}`));
  hash.update(await flagsOf(name));
  const build = `${programs[name].module}-${hash.digest('hex').slice(0, 12)}`;
  return fileURLToPath(new URL(`../../.cache/programs/${build}/${name}`, import.meta.url));
}

/** Where the CRDs of External Secrets are kept: beside its program. */
export const crdsBeside = (program: string): string => join(dirname(program), 'crds.yaml');

export const isBuilt = (path: string): Promise<boolean> =>
  access(path, constants.X_OK).then(
    () => true,
    () => false,
  );

/** @throws Error that says how to build it */
export async function programPath(name: ProgramName): Promise<string> {
  const path = await builtPath(name);
  if (await isBuilt(path)) return path;
  throw new Error(`${name} is not built: run \`npm run e2e:build\` once (it needs Go)`);
}
