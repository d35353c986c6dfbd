import { z } from 'zod';

import type { Narrator } from './narrator.ts';

const actLine = z.object({
  msg: z.literal('step taken'),
  subject: z.string(),
  step: z.string(),
  outcome: z.string(),
});

/** Tells a line of the operator's log when it is about a step that was taken. */
export function tellAct(line: string, narrator: Narrator): void {
  if (!line.includes('step taken')) return;
  const act = actLine.safeParse(JSON.parse(line));
  if (act.success) narrator.line(`operator: ${act.data.subject}  ${act.data.step}  ${act.data.outcome}`);
}
