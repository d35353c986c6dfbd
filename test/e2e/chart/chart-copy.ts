import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { chartFolder } from '../../chart/chart.ts';

/** A later version of the chart in a folder below `parent`: its version and the description of its Tenant kind differ. */
export async function laterChart(parent: string, version: string, description: string): Promise<string> {
  const folder = join(parent, `chart-${version}`);
  await cp(chartFolder, folder, { recursive: true });
  await edit(join(folder, 'Chart.yaml'), /^version: .*$/m, `version: ${version}`);
  await edit(
    join(folder, 'files/crds/postgresqltenants.yaml'),
    /^( +)description: .*$/m,
    `$1description: ${description}`,
  );
  return folder;
}

async function edit(file: string, old: RegExp, by: string): Promise<void> {
  const text = await readFile(file, 'utf8');
  if (!old.test(text)) throw new Error(`${file} has no ${String(old)}`);
  await writeFile(file, text.replace(old, by));
}
