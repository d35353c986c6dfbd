/** A panel of Grafana without its number and its place, and the room that it takes on a grid of 24 columns. */
export interface Panel {
  readonly width: number;
  readonly height: number;
  readonly body: Readonly<Record<string, unknown>> & { readonly title: string; readonly description: string };
}

export interface Row {
  readonly title: string;
  readonly panels: readonly Panel[];
}

/** A PromQL expression, and the name of its series in the legend. */
type Query = readonly [expression: string, legend: string];

/** `min`: where the axis begins; undefined where values may be negative. */
interface GraphOptions {
  readonly width?: number;
  readonly stacked?: boolean;
  readonly min?: number | undefined;
}

type Step = readonly [color: string, from: number | null];

/** The data source that is chosen in the dashboard. */
export const datasource = { type: 'prometheus', uid: '${datasource}' };

const targets = (queries: readonly Query[]): object[] =>
  queries.map(([expr, legendFormat], index) => ({
    refId: String.fromCharCode('A'.charCodeAt(0) + index),
    datasource,
    expr,
    legendFormat,
  }));

export function graph(
  [title, description]: readonly [title: string, description: string],
  unit: string,
  queries: readonly Query[],
  options: GraphOptions = {},
): Panel {
  const { width = 8, stacked = false, min } = { min: 0, ...options };
  const stacking = stacked ? { stacking: { mode: 'normal', group: 'A' } } : {};
  const custom = { lineWidth: 1, fillOpacity: stacked ? 30 : 5, showPoints: 'never', ...stacking };
  const body = {
    type: 'timeseries',
    title,
    description,
    datasource,
    fieldConfig: { defaults: { unit, min, custom }, overrides: [] },
    options: {
      legend: { displayMode: 'list', placement: 'bottom', showLegend: true },
      tooltip: { mode: 'multi', sort: 'desc' },
    },
    targets: targets(queries),
  };
  return { width, height: 8, body };
}

/** `steps`: colors, each from a value on; the first one from `null`. `more`: further defaults of the field. */
export function stat(
  [title, description]: readonly [title: string, description: string],
  unit: string,
  expression: string,
  steps: readonly Step[],
  more: Readonly<Record<string, unknown>> = {},
): Panel {
  const thresholds = { mode: 'absolute', steps: steps.map(([color, value]) => ({ color, value })) };
  const body = {
    type: 'stat',
    title,
    description,
    datasource,
    fieldConfig: { defaults: { unit, ...more, thresholds }, overrides: [] },
    options: {
      colorMode: 'value',
      graphMode: 'none',
      reduceOptions: { calcs: ['lastNotNull'], fields: '', values: false },
      textMode: 'value',
    },
    targets: targets([[expression, '']]),
  };
  return { width: 4, height: 4, body };
}

/** `columns`: the labels that are shown. */
export function table(
  [title, description]: readonly [title: string, description: string],
  expression: string,
  columns: readonly string[],
): Panel {
  const body = {
    type: 'table',
    title,
    description,
    datasource,
    fieldConfig: { defaults: {}, overrides: [] },
    options: { showHeader: true, cellHeight: 'sm' },
    targets: targets([[expression, '']]).map((target) => ({
      ...target,
      instant: true,
      range: false,
      format: 'table',
    })),
    transformations: [{ id: 'filterFieldsByName', options: { include: { names: columns } } }],
  };
  return { width: 8, height: 8, body };
}
