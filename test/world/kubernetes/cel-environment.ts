import { isIP } from 'node:net';

import { Environment } from '@marcbachmann/cel-js';

import { sameJson } from './json.ts';

class Sets {
  contains(list: readonly unknown[], part: readonly unknown[]): boolean {
    return part.every((item) => list.some((other) => sameJson(other, item)));
  }

  intersects(list: readonly unknown[], other: readonly unknown[]): boolean {
    return other.some((item) => this.contains(list, [item]));
  }
}

class Address {
  readonly text: string;

  constructor(text: string) {
    if (isIP(text) === 0) throw new Error(`${text} is not an IP address`);
    this.text = text;
  }
}

type Comparable = string | number | bigint;

const isSorted = (list: readonly Comparable[]): boolean =>
  list.every((item, index) => index === 0 || (list[index - 1] ?? item) <= item);

const extreme = (
  list: readonly Comparable[],
  isBetter: (a: Comparable, b: Comparable) => boolean,
): Comparable => list.reduce((best, item) => (isBetter(item, best) ? item : best));

/** Enough of `format` for messages: every verb prints the value as text. */
function format(template: string, values: readonly unknown[]): string {
  const rest = values.values();
  return template.replaceAll(/%(%|[sd]|\.?\d*[fe])/g, (verb) =>
    verb === '%%' ? '%' : String(rest.next().value),
  );
}

/** The functions that kube-apiserver offers to CRD rules beyond what the CEL library brings along. */
export const kubernetesFunctions = new Environment({
  enableOptionalTypes: true,
  homogeneousAggregateLiterals: false,
  unlistedVariablesAreDyn: false,
})
  .registerType('Sets', Sets)
  .registerConstant('sets', 'Sets', new Sets())
  .registerFunction('Sets.contains(list, list): bool', (sets: Sets, a: unknown[], b: unknown[]) =>
    sets.contains(a, b),
  )
  .registerFunction('Sets.intersects(list, list): bool', (sets: Sets, a: unknown[], b: unknown[]) =>
    sets.intersects(a, b),
  )
  .registerFunction(
    'Sets.equivalent(list, list): bool',
    (sets: Sets, a: unknown[], b: unknown[]) => sets.contains(a, b) && sets.contains(b, a),
  )
  .registerType('Address', Address)
  .registerFunction('isIP(string): bool', (text: string) => isIP(text) !== 0)
  .registerFunction('ip(string): Address', (text: string) => new Address(text))
  .registerFunction('Address.family(): int', (address: Address) => BigInt(isIP(address.text)))
  .registerFunction('isURL(string): bool', (text: string) => URL.canParse(text))
  .registerFunction('string.charAt(int): string', (text: string, at: bigint) => text.charAt(Number(at)))
  .registerFunction('string.replace(string, string): string', (text: string, from: string, to: string) =>
    text.replaceAll(from, () => to),
  )
  .registerFunction(
    'string.find(string): string',
    (text: string, regex: string) => new RegExp(regex, 'u').exec(text)?.[0] ?? '',
  )
  .registerFunction('string.findAll(string): list<string>', (text: string, regex: string) =>
    Array.from(text.matchAll(new RegExp(regex, 'gu')), ([match]) => match),
  )
  .registerFunction('string.format(list): string', format)
  .registerFunction('list.isSorted(): bool', isSorted)
  .registerFunction('list.min(): dyn', (list: Comparable[]) => extreme(list, (a, b) => a < b))
  .registerFunction('list.max(): dyn', (list: Comparable[]) => extreme(list, (a, b) => a > b));
