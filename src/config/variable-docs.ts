import { z } from 'zod';

/** What `docs/configuration.md` says of a variable, beyond what its shape says. */
interface VariableDoc {
  /** Sentences for somebody who has never seen this program. */
  readonly meaning: string;
  /** In place of the shape's own default: one that depends on other variables. */
  readonly default?: string;
  /** For one that is not always needed: `with ...`, `when ...`. */
  readonly requiredWhen?: string;
  /** Its value must not be seen; there is a `_FILE` variant. */
  readonly secret?: true;
}

/** What a value looks like, where the shape is not a list of words. Registered for the part without default. */
export const valueDocs = z.registry<{ readonly looksLike: string }>();

/** Every variable is registered here, beside its shape: `shape.register(variableDocs, { ... })`. */
export const variableDocs = z.registry<VariableDoc>();
