import type { Template } from './external-secret.ts';

/** Data and metadata that the target gets from the ExternalSecret. */
export interface Rendered {
  readonly data: Map<string, string>;
  readonly type: string | undefined;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

/** @throws Error for a reference to a key that was not fetched, and for anything but `{{ .key }}` */
export function renderTemplate(template: Template, fetched: ReadonlyMap<string, string>): Rendered {
  const own = Object.entries(template.data);
  // Without data of its own a template changes nothing in what was fetched.
  const keepsFetched = template.mergePolicy === 'Merge' || own.length === 0;
  const rendered = own.map(([key, text]): [string, string] => [key, render(text, fetched)]);
  return {
    data: new Map([...(keepsFetched ? fetched : []), ...rendered]),
    type: template.type,
    labels: renderAll(template.metadata.labels, fetched),
    annotations: renderAll(template.metadata.annotations, fetched),
  };
}

const renderAll = (
  texts: Readonly<Record<string, string>>,
  fetched: ReadonlyMap<string, string>,
): Record<string, string> =>
  Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, render(text, fetched)]));

const render = (text: string, fetched: ReadonlyMap<string, string>): string =>
  text.replaceAll(/\{\{-?(.*?)-?\}\}/gs, (_, expression: string) => {
    const key = /^\s*\.([A-Za-z_][A-Za-z0-9_]*)\s*$/.exec(expression)?.[1];
    if (key === undefined) throw new Error(`unsupported template expression {{${expression}}}`);
    const value = fetched.get(key);
    if (value === undefined) throw new Error(`could not execute template: map has no entry for key "${key}"`);
    return value;
  });
