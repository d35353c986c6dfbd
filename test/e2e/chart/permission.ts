/** One thing that RBAC allows. */
export interface Permission {
  readonly verb: string;
  /** '' for the core group. */
  readonly group: string;
  /** Plural, with its subresource behind a slash. */
  readonly resource: string;
}

/** A rule as in a Role; it is about resources, and about all of them by name. */
export interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

/** `get secrets`, `update postgresqltenants/status.pgtenancy.io` */
export const textOf = ({ verb, group, resource }: Permission): string =>
  `${verb} ${resource}${group === '' ? '' : `.${group}`}`;

/** Every permission of a rule by itself. */
export const permissionsOf = ({ apiGroups, resources, verbs }: Rule): readonly Permission[] =>
  apiGroups.flatMap((group) =>
    resources.flatMap((resource) => verbs.map((verb) => ({ verb, group, resource }))),
  );

/** Rules that allow all of it but this one permission, which may stand in several of them. */
export const rulesWithout = (rules: readonly Rule[], gone: Permission): Rule[] =>
  rules
    .flatMap((rule) => permissionsOf(rule))
    .filter((permission) => textOf(permission) !== textOf(gone))
    .map(({ verb, group, resource }) => ({ apiGroups: [group], resources: [resource], verbs: [verb] }));
