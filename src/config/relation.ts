import type { Variables } from './variables.ts';

type Name = keyof Variables;

/** What must hold between variables. It is looked at although another variable is faulty, so that one run shows every fault. */
export interface Relation {
  /** The variable to change. */
  readonly variable: Name;
  /** The others; while one of all these is faulty itself, nothing is said. */
  readonly reads: readonly Name[];
  readonly holds: (env: Variables) => boolean;
  /** Goes on with the name of the variable. */
  readonly fault: string;
}

/** Under which a variable is needed. */
export interface Condition {
  readonly reads: readonly Name[];
  readonly holds: (env: Variables) => boolean;
  /** As the user writes it. */
  readonly text: string;
  readonly opposite: string;
}

/** `variable` is needed while `condition` holds, and must not be given otherwise. */
export const exactlyWith = (variable: Name, condition: Condition, hint = ''): Relation[] => [
  neededWith(variable, condition, hint),
  refusedWithout(variable, condition),
];

export const neededWith = (variable: Name, { reads, holds, text }: Condition, hint = ''): Relation => ({
  variable,
  reads,
  holds: (env) => !holds(env) || env[variable] !== undefined,
  fault: `is required with ${text}${hint}`,
});

export const refusedWithout = (variable: Name, { reads, holds, opposite }: Condition): Relation => ({
  variable,
  reads,
  holds: (env) => holds(env) || env[variable] === undefined,
  fault: `must not be given with ${opposite}: remove one of the two`,
});

/** A secret is needed while `condition` holds: directly or in a file, not both. */
export const secretWith = (variable: 'HOOK_TOKEN' | 'OPENBAO_TOKEN', condition: Condition): Relation[] => {
  const file = `${variable}_FILE` as const;
  const reads = [...condition.reads, file];
  return [
    {
      variable,
      reads,
      holds: (env) => !condition.holds(env) || env[variable] !== undefined || env[file] !== undefined,
      fault: `or ${file} is required with ${condition.text}`,
    },
    {
      variable,
      reads: [file],
      holds: (env) => env[variable] === undefined || env[file] === undefined,
      fault: `and ${file} must not both be given: remove one of the two`,
    },
    refusedWithout(variable, condition),
    refusedWithout(file, condition),
  ];
};
