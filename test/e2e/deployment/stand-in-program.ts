import { spawnSync } from 'node:child_process';

/* Stands in the PATH for a program that this machine lacks: asks the test what would have happened. */

const [name = '', ...args] = process.argv.slice(2);
const response = await fetch(process.env['STAND_INS_URL'] ?? '', {
  method: 'POST',
  body: JSON.stringify({ name, args, cwd: process.cwd(), env: process.env }),
});
const answer = (await response.json()) as { code: number; stdout: string; stderr: string; run?: string };
if (answer.run === undefined) {
  process.stdout.write(answer.stdout);
  process.stderr.write(answer.stderr);
  process.exitCode = answer.code;
} else process.exitCode = spawnSync(answer.run, args, { stdio: 'inherit' }).status ?? 1;
