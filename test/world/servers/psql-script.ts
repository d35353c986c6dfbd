import pg from 'pg';

/**
 * The statements that psql makes, in this environment, of a script with comments, `\set ON_ERROR_STOP on`, `\getenv` and
 * `:'variable'`; one by one: `create database` takes no part in a transaction. A variable that is not set stays as it is
 * written, as in psql.
 */
export function statementsIn(script: string, env: Readonly<Record<string, string | undefined>>): string[] {
  const all = new Map<string, string>();
  for (const [, name = '', variable = ''] of script.matchAll(/^\\getenv (\w+) (\w+)$/gm)) {
    const value = env[variable];
    if (value !== undefined) all.set(name, value);
  }
  return script
    .replaceAll(/^(--|\\getenv |\\set ON_ERROR_STOP on).*$/gm, '')
    .replaceAll(/:'(\w+)'/g, (written, name: string) => {
      const value = all.get(name);
      return value === undefined ? written : pg.escapeLiteral(value);
    })
    .split(/;$/m)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '');
}
