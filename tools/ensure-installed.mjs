// Installs what the lockfile names, once: a clean clone needs no step before `npm run demo` or `npm test`.
// Plain JavaScript: it runs on the Node that the machine happens to have, before ours is there.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';

const stamp = 'node_modules/.installed-from';
const wanted = createHash('sha256').update(readFileSync('package-lock.json')).digest('hex');

function installed() {
  try {
    return readFileSync(stamp, 'utf8') === wanted;
  } catch {
    return false;
  }
}

if (!installed()) {
  console.log('Installing the npm packages of package-lock.json (about 550 MB, once) ...');
  const npm = process.env['npm_execpath'];
  const [command, first] = npm ? [process.execPath, [npm]] : ['npm', []];
  const result = spawnSync(
    command,
    [...first, 'ci', '--include=dev', '--ignore-scripts', '--loglevel=error'],
    {
      stdio: 'inherit',
    },
  );
  if (result.status !== 0) {
    console.error('npm ci failed: see above. The registry must be reachable for the first run.');
    process.exit(result.status ?? 1);
  }
  writeFileSync(stamp, wanted);
}
