import { constants, copyFile, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import type { Stage } from './stage.ts';

const systemPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
/** Where the distroless image has its Node; there is no shell and no npm beside it. */
const distrolessNode = '/nodejs/bin/node';
const distroless = /(^|\/)nodejs(\d+)-debian\d+:nonroot(@sha256:[0-9a-f]{64})?$/;
const official = /^node:([\d.]+)-[a-z]+-slim(@sha256:[0-9a-f]{64})?$/;

/** What is in a base image as far as the Dockerfile uses it: Node is the one that runs this suite. */
export async function startFrom(image: string, root: string): Promise<Stage> {
  await mkdir(root);
  const blank = { root, args: {}, entrypoint: [], cmd: [], labels: {}, ports: [] };
  const [, version] = official.exec(image) ?? [];
  if (version !== undefined) {
    requireNode(image, process.version === `v${version}`);
    return { ...blank, env: {}, workingDir: '/', user: { uid: 0, gid: 0 } };
  }
  const [, , major] = distroless.exec(image) ?? [];
  if (major === undefined)
    throw new Error(`the suite has nothing that stands for the base image \`${image}\``);
  requireNode(image, process.version.startsWith(`v${major}.`));
  await copyNode(join(root, distrolessNode));
  const env = { PATH: systemPath, SSL_CERT_FILE: '/etc/ssl/certs/ca-certificates.crt' };
  return { ...blank, env, workingDir: '/home/nonroot', user: { uid: 65532, gid: 65532 } };
}

function requireNode(image: string, isSame: boolean): void {
  if (!isSame) throw new Error(`\`${image}\` has another Node than the ${process.version} that is tested`);
}

/** The Node that runs this suite, where every user can reach it. */
export async function copyNode(target: string): Promise<void> {
  await mkdir(dirname(target), { recursive: true });
  await copyFile(process.execPath, target, constants.COPYFILE_FICLONE);
}
