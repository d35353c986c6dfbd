import { tenantPhases, type TenantPhase } from '../../src/api/tenant.ts';
import type { DatabaseView, RegistryRow, RoleView, TenantCatalog } from '../../src/domain/catalog.ts';
import { confirmToken } from '../../src/domain/confirm.ts';
import type { StoredCredential } from '../../src/domain/credential.ts';
import { known, unknown, type Fact } from '../../src/domain/fact.ts';
import type { Child, DescentFacts, InstanceFacts, InstanceLookup, Session } from '../../src/domain/facts.ts';
import * as world from './worlds.ts';

/** A small linear congruential generator: the same seed gives the same worlds on every machine. */
export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = Math.imul(seed, 2_654_435_761) >>> 0;
  }

  /** From 0 to `sides` - 1. */
  roll(sides: number): number {
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((this.#state / 0x1_0000_0000) * sides);
  }

  oneOf<T>(values: readonly T[]): T {
    return values[this.roll(values.length)]!;
  }

  /** Mostly the first, so that worlds come out in which only few things are wrong. */
  mostly<T>(usual: T, ...others: readonly T[]): T {
    return this.roll(9) === 0 ? this.oneOf(others) : usual;
  }

  fact<T>(value: T): Fact<T> {
    return this.mostly<Fact<T>>(known(value), this.oneOf([known(value), world.lost, refused]));
  }
}

const refused = unknown('OpenBaoForbidden', 'the last look was refused');

const tokens = [
  confirmToken('DatabaseLost', [world.wish.uid, '16401']),
  confirmToken('CredentialLost', [world.wish.uid, '16400', '0']),
  confirmToken('CredentialLost', [world.wish.uid, '', '1']),
  confirmToken('RegistryLost', [world.wish.uid, '1']),
  confirmToken('RegistryLost', [world.wish.uid, '1', 'delete']),
  confirmToken('InstanceChanged', ['uid-gone', world.instance.uid]),
];

const randomRow = (dice: Dice): RegistryRow => ({
  ...world.row,
  installation: dice.mostly('prod', 'other'),
  instanceUid: dice.mostly(world.instance.uid, 'uid-gone'),
  roleOid: dice.mostly('16400', null),
  databaseOid: dice.mostly('16401', null),
  state: dice.mostly('Active', 'Retained'),
});

const randomRole = (dice: Dice, oid: string): RoleView => ({
  ...world.role,
  oid,
  name: dice.mostly(world.role.name, 'sales'),
  canLogin: dice.mostly(true, false),
  superuser: dice.mostly(false, true),
  replication: dice.mostly(false, true),
  expires: dice.mostly(false, true),
  selfGranted: dice.mostly(false, true),
});

const randomDatabase = (dice: Dice, oid: string): DatabaseView => ({
  ...world.database,
  oid,
  name: dice.mostly(world.database.name, 'sales'),
  ownerOid: dice.mostly('16400', '90000'),
  allowConnections: dice.mostly(true, false),
  isTemplate: dice.mostly(false, true),
  connectionLimit: dice.mostly(-1, 0, -2, 5),
  publicConnect: dice.mostly(false, true),
});

/** By the registered OID, and by the name: the same one where the OID bears the name, else mostly none. */
function registeredAndNamed<View extends { readonly oid: string; readonly name: string }>(
  dice: Dice,
  oid: string | null,
  random: (dice: Dice, oid: string) => View,
): { registered: View | null; named: View | null } {
  const registered = oid === null ? null : dice.mostly<View | null>(random(dice, oid), null);
  if (registered?.name === world.wish.roleName) return { registered, named: registered };
  return {
    registered,
    named: dice.mostly<View | null>(null, { ...random(dice, '90001'), name: world.wish.roleName }),
  };
}

function randomDatabases(dice: Dice, oid: string | null): TenantCatalog['database'] {
  const { registered, named } = registeredAndNamed(dice, oid, randomDatabase);
  if (dice.roll(9) !== 0) return { registered, named, tombstone: null };
  const tombstone = {
    ...randomDatabase(dice, dice.mostly(oid ?? '90002', '90002')),
    name: 'pto_drop_uid-tenant',
  };
  const aside = tombstone.oid === oid;
  return { registered: aside ? tombstone : registered, named: aside ? null : named, tombstone };
}

function randomCatalog(dice: Dice): TenantCatalog {
  const row = dice.mostly<RegistryRow | null>(randomRow(dice), null);
  return {
    ...world.catalog,
    systemIdentifier: dice.mostly(world.catalog.systemIdentifier, '1', null),
    row,
    holders: dice.mostly<RegistryRow[]>([], [{ ...world.row, tenantUid: 'uid-other' }]),
    role: registeredAndNamed(dice, row?.roleOid ?? null, randomRole),
    database: randomDatabases(dice, row?.databaseOid ?? null),
    inFlight: dice.mostly<TenantCatalog['inFlight']>(null, 'create', 'drop'),
    manager: dice.mostly(world.catalog.manager, { superuser: false, entersDatabases: false }),
  };
}

/** As a step left it: the parts that a deletion or a creation goes through one by one. */
const partialCatalog = (dice: Dice): TenantCatalog => {
  const { role, database, tombstone, row } = dice.oneOf([
    { role: true, database: true, tombstone: false, row: true },
    { role: true, database: false, tombstone: true, row: true },
    { role: true, database: false, tombstone: false, row: true },
    { role: false, database: false, tombstone: false, row: true },
    { role: false, database: false, tombstone: false, row: false },
  ]);
  const closed = dice.roll(3) === 0;
  const there = { ...randomDatabase(dice, '16401'), allowConnections: !closed };
  const aside = tombstone ? { ...there, name: 'pto_drop_uid-tenant' } : null;
  return {
    ...world.catalog,
    row: row
      ? {
          ...world.row,
          roleOid: role ? '16400' : null,
          databaseOid: database || tombstone ? '16401' : dice.oneOf(['16401', null]),
        }
      : null,
    role: { registered: role ? { ...world.role, canLogin: !closed } : null, named: role ? world.role : null },
    database: { registered: database ? there : aside, named: null, tombstone: aside },
  };
};

const randomCredential = (dice: Dice): StoredCredential =>
  dice.oneOf<StoredCredential>([
    world.live,
    world.live,
    { ...world.live, version: 2 },
    {
      ...world.live,
      record: dice.mostly<typeof world.record | null>({ ...world.record, rotation: 'may' }, null),
    },
    { kind: 'absent' },
    { kind: 'deleted', version: 1 },
  ]);

const broken = { reason: 'ServerError', message: 'extension "cube": it broke' } as const;

const randomSession = (dice: Dice): Session =>
  dice.oneOf<Session>([
    world.proven,
    { ...world.proven, offers: [world.offer('cube')] },
    { ...world.proven, offers: [world.offer('cube')], pristine: true, failures: { cube: broken } },
    { ...world.proven, installed: [world.installed('cube')] },
    { kind: 'deferred' },
    { kind: 'pending' },
    { kind: 'rejected', afterReset: dice.mostly(false, true) },
  ]);

const randomChild = (dice: Dice): Child =>
  dice.oneOf<Child>([
    { kind: 'ours', object: world.externalSecret() },
    { kind: 'ours', object: world.externalSecret(world.live, { status: undefined }) },
    { kind: 'ours', object: world.externalSecret({ version: 2, createdAt: world.live.createdAt }) },
    { kind: 'ours', object: world.externalSecret(world.live, { spec: {} }) },
    { kind: 'foreign' },
    { kind: 'foreign', orphaned: true },
    { kind: 'absent' },
  ]);

const randomInstance = (dice: Dice): InstanceLookup =>
  dice.mostly<InstanceLookup>(
    {
      ...world.instance,
      ready: dice.mostly(true, false),
      terminating: dice.mostly(false, true),
      systemIdentifier: dice.mostly(world.instance.systemIdentifier, '1', ''),
    },
    { kind: 'absent' },
  );

export const randomFacts = (dice: Dice): DescentFacts => ({
  wish: {
    ...world.wish,
    extensions: dice.oneOf<{ name: string }[]>([[], [], [{ name: 'cube' }]]),
    deletionPolicy: dice.oneOf(['Retain', 'Delete']),
    rotation: dice.mostly('', 'may'),
    confirm: dice.oneOf([undefined, undefined, undefined, ...tokens]),
  },
  settings: world.settings,
  instance: dice.fact(randomInstance(dice)),
  namespaceAllowed: dice.fact(dice.mostly(true, false)),
  catalog: dice.fact(dice.oneOf([randomCatalog, partialCatalog])(dice)),
  credential: dice.fact(randomCredential(dice)),
  offers: dice.fact([world.offer('cube')]),
  session: dice.fact(randomSession(dice)),
  child: dice.fact(randomChild(dice)),
  letIn: dice.mostly(true, false),
  blockers: dice.fact(dice.mostly(world.noBlockers, { ...world.noBlockers, subscriptions: ['s'] })),
  overdue: dice.mostly(false, true),
  mayBeShut: dice.mostly(false, true),
  everClaimed: dice.mostly(true, false),
  held: dice.mostly(true, true, false),
  collector: dice.mostly<DescentFacts['collector']>(null, 'foreground', 'orphan'),
});

export const randomPhase = (dice: Dice): TenantPhase | undefined => dice.oneOf([undefined, ...tenantPhases]);

export const randomInstanceFacts = (dice: Dice): InstanceFacts => {
  const { wish } = world.readyInstance();
  return world.readyInstance({
    wish: { ...wish, recordedSystemIdentifier: dice.mostly(wish.recordedSystemIdentifier, '', '3') },
    server: dice.fact({
      ...world.serverView,
      pooled: dice.mostly(false, true),
      superuser: dice.mostly(true, false),
      createDb: dice.mostly(true, false),
      systemIdentifier: dice.mostly(world.serverView.systemIdentifier, '2', null),
      publicConnect: dice.mostly<string[]>([], ['app']),
    }),
    registry: dice.fact({
      ...world.registryView,
      schemaVersion: dice.mostly<number | null>(1, 0, null),
      systemIdentifier: dice.mostly(world.registryView.systemIdentifier, null, '2'),
      instance: dice.mostly<{ installation: string } | null>(
        { installation: 'prod' },
        { installation: 'x' },
        null,
      ),
    }),
  });
};
