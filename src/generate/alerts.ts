import { parse } from 'yaml';
import { z } from 'zod';

import { withBlock } from './generated-block.ts';
import { code, table } from './markdown.ts';

const alert = z.strictObject({
  alert: z.string(),
  expr: z.string(),
  for: z.string().default(''),
  labels: z.strictObject({ severity: z.enum(['critical', 'warning']) }),
  annotations: z.strictObject({ summary: z.string(), description: z.string() }),
});
export type Alert = z.infer<typeof alert>;

const ruleFile = z.strictObject({
  groups: z.array(z.strictObject({ name: z.string(), rules: z.array(alert) })),
});

/** The alerts of a rule file of Prometheus, in its order. Throws where one lacks what every alert must have. */
export const alertsOf = (rules: string): Alert[] =>
  ruleFile.parse(parse(rules)).groups.flatMap((group) => group.rules);

/** The page with a table of all alerts, each with a link to its section there. `rules`: the rule file. */
export const withAlerts = (page: string, rules: string): string =>
  withBlock(page, 'alerts', table(['alert', 'severity', 'after', 'says'], alertsOf(rules).map(row)));

const row = ({ alert: name, labels, for: after, annotations }: Alert): string[] => [
  `[${name}](#${name.toLowerCase()})`,
  labels.severity,
  after === '' ? 'at once' : after,
  annotations.summary.replaceAll(/\{\{(.*?)\}\}/g, (_, shown: string) => code(placeholder(shown))),
];

/** `$labels.pod` is shown as `<pod>`, `$value | humanizeDuration` as `<value>`. */
const placeholder = (shown: string): string => `<${/\$(?:labels\.)?(\w+)/.exec(shown)?.[1] ?? shown.trim()}>`;
