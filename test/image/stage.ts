/** One stage of the build: a folder that stands for `/`, and what its instructions said so far. */
export interface Stage {
  readonly root: string;
  readonly env: Record<string, string>;
  /** Build arguments that were declared in this stage. */
  readonly args: Record<string, string>;
  /** As the image sees it. */
  workingDir: string;
  user: { readonly uid: number; readonly gid: number };
  entrypoint: readonly string[];
  /** What follows the entrypoint unless a Pod says `args`. */
  cmd: readonly string[];
  readonly labels: Record<string, string>;
  readonly ports: number[];
}

/**
 * Puts in what `${NAME}` and `$NAME` stand for.
 * @throws Error for a name without a value: an engine would quietly put in nothing
 */
export const expand = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replace(
    /\$(?:\{(\w+)\}|(\w+))|\$/g,
    (found, braced: string | undefined, plain: string | undefined) => {
      const value = values[braced ?? plain ?? ''];
      if (value === undefined) throw new Error(`Dockerfile: ${found} has no value in \`${text}\``);
      return value;
    },
  );
