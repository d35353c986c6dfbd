import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { generatedFiles } from './generated-files.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

for (const { path, content } of await generatedFiles(root)) {
  const file = join(root, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, content);
  console.log(path);
}
