import { knownMetrics, targetLabels } from './known-metrics.ts';
import { parsePromql, type Expression, type Selector } from './promql.ts';

const known = await knownMetrics();
const labelsOf = (metric: string): Set<string> =>
  new Set([...(known.get(metric)?.keys() ?? []), ...targetLabels]);

/** Everything about a query that would make it say nothing, or something wrong, for ever. Empty: none. */
export function promqlFaults(text: string): string[] {
  const expression = parsePromql(text);
  return [
    ...expression.faults,
    ...expression.selectors.flatMap(selectorFaults),
    ...groupingFaults(expression),
    ...(text.includes('histogram_quantile') && !expression.grouping.includes('le')
      ? ['a quantile needs the label le']
      : []),
  ];
}

/** The labels of what a query gives. */
export function resultLabels(text: string): Set<string> {
  const { aggregated, grouping, selectors } = parsePromql(text);
  return aggregated ? new Set(grouping) : new Set(selectors.flatMap(({ metric }) => [...labelsOf(metric)]));
}

const counted = /_(?:total|count|sum|bucket)$/;
const growth = ['rate', 'increase'];

function selectorFaults({ metric, matchers, rangeOf }: Selector): string[] {
  const labels = known.get(metric);
  if (labels === undefined) return [`there is no metric ${metric}`];
  const ofCounter = counted.test(metric);
  const faults = matchers.flatMap(({ label, value }) =>
    value.startsWith('$')
      ? []
      : [
          ...(labelsOf(metric).has(label) ? [] : [`${metric} has no label ${label}`]),
          ...value
            .split('|')
            .filter((one) => labels.get(label)?.has(one) === false)
            .map((one) => `${label} of ${metric} is never ${one}`),
        ],
  );
  if (ofCounter && !growth.includes(rangeOf ?? '')) faults.push(`${metric} only grows: take its rate`);
  if (!ofCounter && growth.includes(rangeOf ?? '')) faults.push(`${metric} is no counter: it has no rate`);
  return faults;
}

const groupingFaults = ({ grouping, selectors }: Expression): string[] => {
  const there = new Set(selectors.flatMap(({ metric }) => [...labelsOf(metric)]));
  return grouping.filter((label) => !there.has(label)).map((label) => `nothing has the label ${label}`);
};
