import pg from 'pg';

interface Given {
  /** Variables of psql, as `-v` sets them. */
  readonly variables?: Readonly<Record<string, string>>;
  /** The environment of psql. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * The statements that psql makes of a script with comments, `\getenv` and `:'variable'`, one by one: `create database` takes
 * no part in a transaction. A variable that is not set stays as it is written, as in psql.
 */
export function statementsIn(script: string, { variables = {}, env }: Given): string[] {
  const all = new Map(Object.entries(variables));
  for (const [, name = '', variable = ''] of script.matchAll(/^\\getenv (\w+) (\w+)$/gm)) {
    const value = env[variable];
    if (value !== undefined) all.set(name, value);
  }
  return script
    .replaceAll(/^(--|\\getenv ).*$/gm, '')
    .replaceAll(/:'(\w+)'/g, (written, name: string) => {
      const value = all.get(name);
      return value === undefined ? written : pg.escapeLiteral(value);
    })
    .split(/;$/m)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '');
}
