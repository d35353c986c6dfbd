import { parser } from '@prometheus-io/lezer-promql';

type SyntaxNode = ReturnType<typeof parser.parse>['topNode'];

export interface Matcher {
  readonly label: string;
  readonly operator: string;
  readonly value: string;
}

export interface Selector {
  readonly metric: string;
  readonly matchers: readonly Matcher[];
  /** The function that takes it as a range, e.g. `rate`; undefined: it is taken as it is. */
  readonly rangeOf: string | undefined;
}

export interface Expression {
  /** What the parser did not understand; empty where all is well. */
  readonly faults: readonly string[];
  readonly selectors: readonly Selector[];
  /** Labels of `by`, `on` and the like. */
  readonly grouping: readonly string[];
  /** Whether any result has only the labels of `by`. */
  readonly aggregated: boolean;
}

export function parsePromql(text: string): Expression {
  const shown = ({ from, to }: SyntaxNode): string => text.slice(from, to);
  const nodes = everyNode(parser.parse(text).topNode);
  const named = (name: string): SyntaxNode[] => nodes.filter((node) => node.name === name);
  return {
    faults: nodes
      .filter(({ type }) => type.isError)
      .map(({ from }) => `"${text.slice(0, from)}" is followed by something that does not belong there`),
    selectors: named('VectorSelector').map((node) => ({
      metric: node.getChild('Identifier') === null ? '' : shown(node.getChild('Identifier')!),
      matchers: everyNode(node)
        .filter(({ name }) => name === 'UnquotedLabelMatcher')
        .map((matcher) => matcherOf(matcher, shown)),
      rangeOf: rangeFunction(node, shown),
    })),
    grouping: named('GroupingLabels').flatMap((node) => node.getChildren('LabelName').map(shown)),
    aggregated: named('AggregateExpr').length > 0,
  };
}

function everyNode(top: SyntaxNode): SyntaxNode[] {
  const found = [top];
  for (let child = top.firstChild; child !== null; child = child.nextSibling) found.push(...everyNode(child));
  return found;
}

function matcherOf(node: SyntaxNode, shown: (node: SyntaxNode) => string): Matcher {
  const part = (name: string): string => shown(node.getChild(name)!);
  return { label: part('LabelName'), operator: part('MatchOp'), value: part('StringLiteral').slice(1, -1) };
}

function rangeFunction(selector: SyntaxNode, shown: (node: SyntaxNode) => string): string | undefined {
  const { parent } = selector;
  if (parent?.name !== 'MatrixSelector') return undefined;
  const call = parent.parent?.parent ?? null;
  return call === null ? undefined : shown(call.getChild('FunctionIdentifier')!);
}
