import type { ReadFile } from './file-shapes.ts';
import { relations } from './relations.ts';
import { variables } from './variables.ts';

/** The whole environment: each variable by itself, and what must hold between them. */
export const environmentShape = (readFile: ReadFile) =>
  relations(readFile).reduce(
    (shape, { variable, reads, holds, fault }) =>
      shape.refine(holds, { path: [variable], error: fault, when: unfaulted(variable, ...reads) }),
    variables(readFile),
  );

/** By itself zod compares nothing once a single variable is faulty. */
const unfaulted =
  (...names: readonly string[]) =>
  ({ issues }: { readonly issues: readonly { readonly path?: readonly PropertyKey[] | undefined }[] }) =>
    !issues.some(({ path }) => names.includes(String(path?.[0])));
