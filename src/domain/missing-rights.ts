import type { ServerView } from './server.ts';
import { sqlName } from './sql-name.ts';

/**
 * The statements, each with its semicolon, that give the management role what it lacks; empty when it lacks nothing. A
 * superuser lacks nothing. See docs/management-role/ for the whole role.
 */
export function missingRights(server: ServerView): readonly string[] {
  if (server.superuser) return [];
  const role = sqlName(server.currentUser);
  const attributes = missingAttributes(server);
  return [
    ...(attributes.length === 0 ? [] : [`alter role ${role} ${attributes.join(' ')};`]),
    ...(server.registry.exists || server.managementDatabase.create
      ? []
      : [`grant create on database ${sqlName(server.managementDatabase.name)} to ${role};`]),
    ...server.registry.foreign.map((object) => `alter ${object} owner to ${role};`),
    ...server.denied.map((privilege) => `grant ${privilege} to ${role};`),
  ];
}

/** Before version 16 memberships that it grants itself are of use only to a role that inherits. */
const missingAttributes = ({ createDb, createRole, inherits, versionNumber }: ServerView): string[] => [
  ...(createDb ? [] : ['createdb']),
  ...(createRole ? [] : ['createrole']),
  ...(inherits || versionNumber >= 160_000 ? [] : ['inherit']),
];
