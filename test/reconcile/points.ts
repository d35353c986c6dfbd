import { externalSecretKey, observedExternalSecretShape } from '../../src/api/external-secret.ts';
import { settle, turn, type Turn } from './metacontroller.ts';
import { newState, tenantKey } from './model-state.ts';
import { ModelWorld } from './model-world.ts';
import { without } from './without.ts';

/** The world before one round of a smooth run, and what that round does there. */
export interface Point {
  /** For messages. */
  readonly name: string;
  readonly calls: readonly string[];
  readonly turn: Turn;
  /** A step was taken in it. */
  readonly acted: boolean;
  /** A copy of the world as it is at this point, with a replica that remembers nothing. */
  world(): ModelWorld;
}

/** Every round of a smooth run from here to rest. Each is made by a replica that remembers nothing. */
export async function pointsOf(begin: ModelWorld): Promise<readonly Point[]> {
  const points: Point[] = [];
  let before = begin.fork();
  while (before.state.kubernetes.tenants[tenantKey] !== undefined && points.length < 60) {
    const after = before.fork();
    const taken = await turn(after);
    const from = before;
    const phase = taken.request.parent.status?.phase ?? 'new';
    points.push({
      name: `round ${points.length} (${phase})`,
      calls: [...after.gate.calls],
      turn: taken,
      acted: after.acts.length > 0 || movesChild(taken),
      world: () => from.fork(),
    });
    if (!taken.statusChanged && !taken.childrenChanged && taken.writes.length === 0) return points;
    before = after;
  }
  return points;
}

/** Metacontroller is told to create, change or delete the child; not that it goes on being deleted. */
const movesChild = ({ childrenChanged, request }: Turn): boolean =>
  childrenChanged &&
  Object.values(request.children[externalSecretKey] ?? {}).every(
    (child) => observedExternalSecretShape.parse(child).metadata.deletionTimestamp === undefined,
  );

/** The Tenant of the runs below asks for something of everything. */
export const wished = { deletionPolicy: 'Delete', extensions: [{ name: 'hstore' }] } as const;

export const newWorld = (spec: object = wished): ModelWorld => new ModelWorld(newState(spec));

export async function readyWorld(spec: object = wished): Promise<ModelWorld> {
  const world = newWorld(spec);
  await settle(world);
  return world;
}

/** `kubectl delete`. */
export function deleteTenant({ state }: ModelWorld): void {
  const { tenants } = state.kubernetes;
  const live = tenants[tenantKey];
  if (live === undefined) throw new Error('there is no Tenant');
  const deletionTimestamp = new Date(state.now).toISOString();
  tenants[tenantKey] = { ...live, metadata: { ...live.metadata, deletionTimestamp } };
}

export async function leavingWorld(spec: object = wished): Promise<ModelWorld> {
  const world = await readyWorld(spec);
  deleteTenant(world);
  return world;
}

/** `kubectl edit`: a change of the spec is a new generation. */
export function editTenant({ state }: ModelWorld, spec: object): void {
  const { tenants } = state.kubernetes;
  const live = tenants[tenantKey];
  if (live === undefined) throw new Error('there is no Tenant');
  const metadata = { ...live.metadata, generation: live.metadata.generation + 1 };
  tenants[tenantKey] = { ...live, metadata, spec: { ...live.spec, ...spec } };
}

/** What two runs must agree in: everything but times, and of passwords only which ones are equal. */
export function remainsOf({ state }: ModelWorld): unknown {
  const rest = without(state, 'now');
  const names = new Map(
    state.openbao.passwords.map((password, index) => [password, `password ${index + 1}`]),
  );
  const seen = JSON.stringify(rest, (key: string, value: unknown) => {
    if (key === 'lastTransitionTime' || key === 'deletionTimestamp') return undefined;
    return typeof value === 'string' ? (names.get(value) ?? value) : value;
  });
  return JSON.parse(seen) as unknown;
}

/** The application's own test: does the password in its Secret open its database? */
export function secretLogsIn({ state }: ModelWorld): boolean {
  const [password] = Object.values(state.kubernetes.secrets);
  const [role] = Object.values(state.postgres.roles);
  const [database] = Object.values(state.postgres.databases);
  return (
    password !== undefined &&
    password === role?.password &&
    role.canLogin &&
    database?.allowConnections === true &&
    !database.publicConnect
  );
}
