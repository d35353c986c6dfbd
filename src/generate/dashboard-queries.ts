/** Series of the replicas that are chosen in the dashboard; `more`: further matchers, each with a comma before it. */
export const chosen = (metric: string, more = ''): string => `${metric}{pod=~"$pod"${more}}`;

/** The same of the Instances that are chosen. */
export const ofInstances = (metric: string): string =>
  chosen(metric, ',postgresql_instance=~"$postgresql_instance"');

export const failed = ',outcome!="ok"';

/** `by`: labels, separated by commas. */
export const perSecond = (counter: string, by: string, more = ''): string =>
  `sum by (${by}) (rate(${chosen(counter, more)}[$__rate_interval]))`;

/** Only what happens at all: a label that stays at 0 would fill the legend. */
export const happening = (counter: string, by: string, more = ''): string =>
  `${perSecond(counter, by, more)} > 0`;

/** So many of all calls are quicker than this, in seconds; `share`: 0 to 1. */
export const quantile = (share: number, histogram: string, by = ''): string => {
  const labels = by === '' ? 'le' : `${by}, le`;
  return `histogram_quantile(${share}, ${perSecond(`${histogram}_bucket`, labels)})`;
};
