import { z } from 'zod';

import { valueDocs, variableDocs } from '../config/variable-docs.ts';
import { code } from './markdown.ts';

export const configurationHead = ['variable', 'value', 'default', 'required', 'meaning'] as const;

/** One row for each variable, in the order of the shapes. Throws for a variable that nobody has described. */
export const configurationRows = (shapes: Readonly<Record<string, z.ZodType>>): string[][] =>
  Object.entries(shapes).map(([name, shape]) => {
    const doc = variableDocs.get(shape);
    if (doc === undefined) throw new Error(`${name} is not documented`);
    const secret = doc.secret === true ? ` **Secret**: ${code(`${name}_FILE`)} takes it from a file.` : '';
    const standard = doc.default ?? defaultOf(shape);
    const required = doc.requiredWhen ?? isRequired(shape);
    return [code(name), valueOf(name, shape), standard, required, `${doc.meaning}${secret}`];
  });

const isRequired = (shape: z.ZodType): string => (shape.safeParse(undefined).success ? 'no' : '**yes**');

const defaultOf = (shape: z.ZodType): string =>
  shape instanceof z.ZodDefault ? code(String(shape.def.defaultValue)) : '';

/** By the shape that is left when the variable is given. */
function valueOf(name: string, shape: z.ZodType): string {
  const given = shape instanceof z.ZodDefault || shape instanceof z.ZodOptional ? shape.unwrap() : shape;
  if (given instanceof z.ZodEnum) return given.options.map((word) => code(String(word))).join(', ');
  if (!(given instanceof z.ZodType)) throw new Error(`${name} has no shape`);
  const doc = valueDocs.get(given);
  if (doc === undefined) throw new Error(`nobody says what a value of ${name} looks like`);
  return doc.looksLike;
}
