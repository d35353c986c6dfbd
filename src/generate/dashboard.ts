import { kubernetes, openBao, postgres, process } from './dashboard-backend-rows.ts';
import { datasource, type Panel, type Row } from './dashboard-panels.ts';
import { conditions, glance, hook, steps } from './dashboard-rows.ts';

/** The dashboard of Grafana as JSON, not yet formatted; what it shows is in the files of the rows. */
export const dashboard = (): string =>
  JSON.stringify({
    uid: 'postgresql-tenant-operator',
    title: 'PostgreSQL tenant operator',
    description:
      'What the operator is asked, what it does, and how PostgreSQL, OpenBao and Kubernetes answer it.',
    tags: ['postgresql', 'pgtenancy'],
    schemaVersion: 39,
    version: 1,
    editable: true,
    graphTooltip: 1,
    refresh: '30s',
    timezone: 'browser',
    time: { from: 'now-6h', to: 'now' },
    templating: { list: variables },
    annotations: { list: [] },
    links: [],
    panels: placed([glance, hook, steps, conditions, postgres, openBao, kubernetes, process]),
  });

const variable = (name: string, label: string, query: string): object => ({
  name,
  label,
  type: 'query',
  datasource,
  query: { query, refId: name },
  definition: query,
  includeAll: true,
  multi: true,
  current: { text: 'All', value: '$__all' },
  refresh: 2,
  sort: 1,
});

const variables = [
  {
    name: 'datasource',
    label: 'Data source',
    type: 'datasource',
    query: 'prometheus',
    current: {},
    refresh: 1,
  },
  variable('pod', 'Replica', 'label_values(pgtenancy_build_info, pod)'),
  variable(
    'postgresql_instance',
    'PostgreSQLInstance',
    'label_values(pgtenancy_postgres_backends, postgresql_instance)',
  ),
];

const columns = 24;

/** All rows below one another, with numbers in their order. */
function placed(rows: readonly Row[]): object[] {
  let y = 0;
  const panels = rows.flatMap(({ title, panels: inRow }) => {
    const heading = {
      type: 'row',
      title,
      collapsed: false,
      gridPos: { h: 1, w: columns, x: 0, y },
      panels: [],
    };
    const below = inLines(inRow, y + 1);
    y = below.end;
    return [heading, ...below.panels];
  });
  return panels.map((panel, index) => ({ id: index + 1, ...panel }));
}

/** Beside one another for as long as there is room; the panels of a line have the same height. */
function inLines(panels: readonly Panel[], top: number): { panels: object[]; end: number } {
  let [x, y, end] = [0, top, top];
  const there = panels.map(({ width, height, body }) => {
    if (x + width > columns) [x, y] = [0, end];
    const gridPos = { h: height, w: width, x, y };
    x += width;
    end = y + height;
    return { ...body, gridPos };
  });
  return { panels: there, end };
}
