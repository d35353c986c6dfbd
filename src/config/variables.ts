import { z } from 'zod';

import { consumerVariables } from './consumer-variables.ts';
import type { ReadFile } from './file-shapes.ts';
import { generalVariables } from './general-variables.ts';
import { hookVariables } from './hook-variables.ts';
import { kubernetesVariables } from './kubernetes-variables.ts';
import { openBaoVariables } from './openbao-variables.ts';
import { timeVariables } from './time-variables.ts';

/** Each variable by itself. */
export const variables = (readFile: ReadFile) =>
  z.object({
    ...generalVariables(),
    ...hookVariables(readFile),
    ...kubernetesVariables(readFile),
    ...openBaoVariables(readFile),
    ...consumerVariables(readFile),
    ...timeVariables(),
  });

export type Variables = z.infer<ReturnType<typeof variables>>;
