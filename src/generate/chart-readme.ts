import { parse } from 'yaml';
import { z } from 'zod';

import { chartValues } from './chart-values.ts';
import { withBlock } from './generated-block.ts';
import { blocks, code, table } from './markdown.ts';

const chart = z.object({ version: z.string(), appVersion: z.string(), kubeVersion: z.string() });

/**
 * README of the chart, not yet formatted, from its present text: versions and the table of values are generated, the rest
 * is written by hand. `sources`: texts of Chart.yaml and values.yaml.
 */
export function chartReadme(
  current: string,
  sources: { readonly chart: string; readonly values: string },
): string {
  const { version, appVersion, kubeVersion } = chart.parse(parse(sources.chart));
  const versions = `Chart ${code(version)}, operator ${code(appVersion)}, Kubernetes ${code(kubeVersion)}.`;
  const rows = chartValues(sources.values).map(({ key, type, value, meaning }) => [
    code(key),
    type,
    code(JSON.stringify(value)),
    meaning,
  ]);
  // Not aligned: the widest cell would make a page of 80 KB, and change it from top to bottom.
  const valuesTable = table(['key', 'type', 'default', 'meaning'], rows);
  return withBlock(
    withBlock(current, 'versions', versions),
    'values',
    blocks('<!-- prettier-ignore-start -->', valuesTable, '<!-- prettier-ignore-end -->'),
  );
}
