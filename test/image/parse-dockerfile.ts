import {
  Arg,
  Cmd,
  Copy,
  DockerfileParser,
  Entrypoint,
  Env,
  From,
  type Instruction as Line,
  Label,
  type ModifiableInstruction,
  Run,
  User,
  Workdir,
} from 'dockerfile-ast';
import { z } from 'zod';

import type { CopyInstruction, Instruction } from './instruction.ts';

/**
 * The instructions of a Dockerfile, in order.
 * @throws Error for everything that the suite could not perform as an engine does: the Dockerfile holds nothing unproven
 */
export function parseDockerfile(text: string): readonly Instruction[] {
  const file = DockerfileParser.parse(text);
  if (file.getDirectives().length > 0)
    throw new Error('Dockerfile: parser directives are not performed here');
  return file.getInstructions().map(instructionOf);
}

function instructionOf(line: Line): Instruction {
  if (line instanceof From) return { kind: 'FROM', ...fromOf(line) };
  if (line instanceof Arg) return argOf(line);
  if (line instanceof Env) return { kind: 'ENV', entries: entriesOf(line) };
  if (line instanceof Label) return { kind: 'LABEL', entries: entriesOf(line) };
  if (line instanceof Workdir) return { kind: 'WORKDIR', path: only(line) };
  if (line instanceof Copy) return copyOf(line);
  if (line instanceof Run) return runOf(line);
  if (line instanceof User) return userOf(line);
  if (line.getKeyword() === 'EXPOSE') return exposeOf(line);
  if (line instanceof Entrypoint) return { kind: 'ENTRYPOINT', argv: argvOf(line) };
  if (line instanceof Cmd) return { kind: 'CMD', argv: argvOf(line) };
  throw unknown(line);
}

function fromOf(line: From): { image: string; stage: string | undefined } {
  flagsOf(line, []);
  const image = line.getImage();
  if (image === null) throw unknown(line);
  return { image, stage: line.getBuildStage() ?? undefined };
}

function argOf(line: Arg): Instruction {
  const property = line.getProperty();
  if (property === null) throw unknown(line);
  return { kind: 'ARG', name: property.getName(), value: property.getValue() ?? undefined };
}

const entriesOf = (line: Env | Label): readonly (readonly [string, string])[] =>
  line.getProperties().map((property) => {
    const value = property.getValue();
    if (value === null || property.getAssignmentOperator() === null) throw unknown(line);
    return [property.getName(), value];
  });

function copyOf(line: Copy): CopyInstruction {
  const { from, chmod } = flagsOf(line, ['from', 'chmod']);
  const sources = wordsOf(line);
  const target = sources.pop();
  if (target === undefined || sources.length === 0 || line.getOpeningBracket() !== null) throw unknown(line);
  if (sources.length > 1 && !target.endsWith('/')) throw unknown(line);
  if (chmod !== undefined && !/^0?[0-7]{3}$/.test(chmod)) throw unknown(line);
  return { kind: 'COPY', from, mode: chmod === undefined ? undefined : parseInt(chmod, 8), sources, target };
}

function runOf(line: Run): Instruction {
  flagsOf(line, []);
  const command = line.getArgumentsContent() ?? '';
  // No chroot: what an absolute path names would be this machine's.
  const reachesOut = /(^|[\s=:'"<>&|;(])\//.test(command);
  if (reachesOut || line.getOpeningBracket() !== null || line.getHeredocs().length > 0) throw unknown(line);
  return { kind: 'RUN', command };
}

function userOf(line: User): Instruction {
  const [, uid, gid] = /^(\d+):(\d+)$/.exec(only(line)) ?? [];
  if (uid === undefined || gid === undefined) throw unknown(line);
  return { kind: 'USER', uid: Number(uid), gid: Number(gid) };
}

function exposeOf(line: Line): Instruction {
  const ports = wordsOf(line).map(Number);
  if (ports.some((port) => !Number.isInteger(port))) throw unknown(line);
  return { kind: 'EXPOSE', ports };
}

/** The exec form alone: a shell around the process would keep SIGTERM from it. */
function argvOf(line: Entrypoint | Cmd): readonly string[] {
  flagsOf(line, []);
  const text = line.getArgumentsContent() ?? '';
  if (!text.startsWith('[')) throw unknown(line);
  return z.array(z.string()).min(1).parse(JSON.parse(text));
}

const wordsOf = (line: Line): string[] => line.getArguments().map((argument) => argument.getValue());

function only(line: Line): string {
  const [word, ...more] = wordsOf(line);
  if (word === undefined || more.length > 0) throw unknown(line);
  return word;
}

function flagsOf<Name extends string>(
  line: ModifiableInstruction,
  known: readonly Name[],
): Readonly<Partial<Record<Name, string>>> {
  const flags: Partial<Record<Name, string>> = {};
  for (const flag of line.getFlags()) {
    const name = known.find((one) => one === flag.getName());
    const value = flag.getValue();
    if (name === undefined || value === null) throw unknown(line);
    flags[name] = value;
  }
  return flags;
}

const unknown = (line: Line): Error =>
  new Error(
    `Dockerfile, line ${line.getRange().start.line + 1}: the suite does not perform \`${line.getTextContent()}\`: teach it, or write it otherwise`,
  );
