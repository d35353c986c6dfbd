import type { KubeObject } from './client.ts';
import { isObject } from './json.ts';
import { badRequest } from './status-error.ts';

export type Selector = (object: KubeObject) => boolean;

/** `labelSelector` and `fieldSelector` of a list or watch; throws 400 for what the API would not take. */
export function readSelector(query: URLSearchParams): Selector {
  const requirements = [
    ...labelRequirements(query.get('labelSelector') ?? ''),
    ...fieldRequirements(query.get('fieldSelector') ?? ''),
  ];
  return (object) => requirements.every((holds) => holds(object));
}

const expression =
  /^\s*(?:(!)\s*)?([A-Za-z0-9./_-]+)\s*(?:(==|=|!=)\s*([A-Za-z0-9._-]*)|(?:\s(in|notin))\s*\(([^)]*)\))?\s*$/;

function labelRequirements(text: string): Selector[] {
  if (text.trim() === '') return [];
  // Commas inside of parentheses belong to a set.
  return text.split(/,(?![^(]*\))/).map(labelRequirement);
}

function labelRequirement(text: string): Selector {
  const match = expression.exec(text);
  if (match === null) throw badRequest(`unable to parse requirement: ${text}`);
  const [, not, key = '', operator, value, setOperator, set] = match;
  const labelOf = ({ metadata }: KubeObject): string | undefined => metadata.labels?.[key];
  if (operator === '!=') return (object) => labelOf(object) !== value;
  if (operator !== undefined) return (object) => labelOf(object) === value;
  if (set === undefined) return (object) => (labelOf(object) === undefined) === (not !== undefined);
  const members = set.split(',').map((member) => member.trim());
  return (object) => members.includes(labelOf(object) ?? '\0') === (setOperator === 'in');
}

const fields = /^(metadata\.(name|namespace)|involvedObject\.\w+|type|reason)$/;

function fieldRequirements(text: string): Selector[] {
  if (text.trim() === '') return [];
  return text.split(',').map((part) => {
    const [, path = '', operator, value = ''] = /^\s*([\w.]+)\s*(==|=|!=)\s*(.*?)\s*$/.exec(part) ?? [];
    if (!fields.test(path)) throw badRequest(`field label not supported: ${part}`);
    return (object) => (textAt(object, path.split('.')) === value) === (operator !== '!=');
  });
}

const textAt = (object: unknown, path: readonly string[]): string => {
  const value = path.reduce<unknown>((at, key) => (isObject(at) ? at[key] : undefined), object);
  return typeof value === 'string' ? value : '';
};
