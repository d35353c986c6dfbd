import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { TenantPhase } from '../../src/api/tenant.ts';
import { known } from '../../src/domain/fact.ts';
import type { TenantFacts } from '../../src/domain/facts.ts';
import { answerOf, decided, type Answer } from './answers.ts';
import * as world from './worlds.ts';
import { fresh, live, lost, ready } from './worlds.ts';

type Row = readonly [
  sentence: string,
  facts: TenantFacts,
  phase: TenantPhase,
  answer: Answer,
  message?: RegExp,
];

const check = (rung: string, rows: readonly Row[]): void => {
  for (const [sentence, facts, phase, answer, message] of rows) {
    test(`${rung}: ${sentence}`, () => {
      const decision = decided(facts);
      assert.deepEqual([decision.phase, answerOf(decision)], [phase, answer]);
      assert.equal(decision.step !== null, answer.startsWith('step'));
      if (message !== undefined)
        assert.match(decision.first?.kind === 'wait' ? decision.first.message : '', message);
    });
  }
};

const cube = [{ name: 'cube' }];
const wished = (facts: TenantFacts) => world.withWish(facts, { extensions: cube });
const holder = {
  ...world.row,
  tenantUid: 'uid-other',
  namespace: 'crm',
  name: 'orders',
  installation: 'other',
};

// prettier-ignore
check('admission', [
  ['nothing in the way: the names are claimed', fresh(), 'Planned', 'step NamesUnclaimed'],
  ['no such Instance', fresh({ instance: known({ kind: 'absent' }) }), 'Planned', 'wait InstanceNotFound', /"main" does not exist/],
  ['the Instance cannot be read', fresh({ instance: lost }), 'Planned', 'unknown ServerError'],
  ['the Instance is being deleted', world.withInstance(fresh(), { terminating: true }), 'Planned', 'wait InstanceTerminating'],
  ['the Instance is not Ready', world.withInstance(fresh(), { ready: false, readiness: 'RightsMissing' }), 'Planned', 'wait InstanceNotReady', /\(RightsMissing\); .* kubectl describe postgresqlinstance main$/],
  ['a database name that PostgreSQL cannot take', world.withWish(fresh(), { databaseName: 'Shop' }), 'Planned', 'wait NameInvalid', /^spec\.databaseName/],
  ['a name that PostgreSQL cannot take is told, Instance or not', world.withWish(fresh({ instance: lost }), { databaseName: 'Shop' }), 'Planned', 'wait NameInvalid'],
  ['a role name that PostgreSQL cannot take', world.withWish(fresh(), { roleName: 'a-b' }), 'Planned', 'wait NameInvalid', /^spec\.roleName/],
  ['a database name of 64 bytes', world.withWish(fresh(), { databaseName: 'a'.repeat(64) }), 'Planned', 'wait NameInvalid', /at most 63 bytes/],
  ['a Tenant name that leaves no room for the ExternalSecret', world.withWish(fresh(), { name: 'a'.repeat(201) }), 'Planned', 'wait NameInvalid', /^metadata\.name may have at most 200 characters.*shorter name$/],
  ['a Tenant name that just leaves room', world.withWish(fresh(), { name: 'a'.repeat(200) }), 'Planned', 'step NamesUnclaimed'],
  ['a role name that is reserved here', world.withWish(fresh(), { roleName: 'operator' }), 'Planned', 'wait NameReserved', /^roleName "operator"/],
  ['the namespace is not served', fresh({ namespaceAllowed: known(false) }), 'Planned', 'wait NamespaceNotAllowed', /namespace "shop".*administrator/],
  ['nobody can say whether the namespace is served', fresh({ namespaceAllowed: lost }), 'Planned', 'unknown ServerError'],
  ['the catalog cannot be read', fresh({ catalog: lost }), 'Planned', 'unknown ServerError'],
  ['OpenBao cannot be read', fresh({ credential: lost }), 'Planned', 'unknown ServerError'],
  ['another Tenant has the database name', world.withCatalog(fresh(), { holders: [holder] }), 'Planned', 'wait Conflict', /^database "shop_orders" belongs to Tenant crm\/orders \(UID uid-other\) of installation "other"; it is never taken over/],
  ['another Tenant has the role name', world.withCatalog(fresh(), { holders: [{ ...holder, databaseName: 'crm' }] }), 'Planned', 'wait Conflict', /^role "shop_orders" belongs to Tenant crm\/orders/],
  ['the names are retained for an earlier Tenant', world.withCatalog(fresh(), { holders: [{ ...holder, state: 'Retained' }] }), 'Planned', 'wait Conflict', /is retained for Tenant/],
  ['the names are retained for an earlier Tenant of the same name', world.withCatalog(fresh(), { holders: [{ ...holder, namespace: 'shop', installation: 'prod', state: 'Retained' }] }), 'Planned', 'wait Conflict', /an earlier one of this name, and to hand its database over.*set tenant_uid = 'uid-tenant', state = 'Active', retained_at = null where tenant_uid = 'uid-other'/],
  ['the names are held for a Tenant of the same name elsewhere', world.withCatalog(fresh(), { holders: [{ ...holder, namespace: 'shop' }] }), 'Planned', 'wait Conflict', /of installation "other"; it is never taken over/],
  ['a database of the name is there', world.withNamedDatabase(fresh(), { ownerOid: '90000' }), 'Planned', 'wait Conflict', /^database "shop_orders" exists already and is not ours/],
  ['a role of the name is there', world.withCatalog(fresh(), { role: { registered: null, named: world.role } }), 'Planned', 'wait Conflict', /^role "shop_orders" exists already and is not ours/],
  ['an ExternalSecret of the name is there', fresh({ child: known({ kind: 'foreign' }) }), 'Planned', 'wait Conflict', /^ExternalSecret "orders-postgresql" exists already/],
  ['nobody can say whether one is there', fresh({ child: lost }), 'Planned', 'unknown ServerError'],
  ['the extensions are offered', wished(fresh({ offers: known([world.offer('cube')]) })), 'Planned', 'step NamesUnclaimed'],
  ['an extension is not offered', wished(fresh()), 'Planned', 'wait ExtensionUnavailable'],
  ['nobody can say what is offered', wished(fresh({ offers: lost })), 'Planned', 'unknown ServerError'],
  ['what is offered does not matter when nothing is asked for', fresh({ offers: lost }), 'Planned', 'step NamesUnclaimed'],
]);

// prettier-ignore
check('CredentialCreated', [
  ['the row is ours, and nothing is in OpenBao', ready({ credential: known({ kind: 'absent' }), catalog: known({ ...world.catalog, row: { ...world.row, roleOid: null, databaseOid: null } }) }), 'Planned', 'step CredentialMissing'],
  ['the row belongs to another installation', world.withRow(ready(), { installation: 'other' }), 'Planned', 'wait InstanceChanged', /installation "other"/],
  ['the row belongs to another Instance', world.withRow(ready(), { instanceUid: 'uid-gone' }), 'Planned', 'wait InstanceChanged', /UID uid-gone\); to move it to PostgreSQLInstance "main", annotate this object with pgtenancy\.io\/confirm=[0-9a-f]{10}$/],
  ['the row is marked Retained', world.withRow(ready(), { state: 'Retained' }), 'Planned', 'wait RowRetained', /runs, in the management database: update pgtenancy\.tenant set state = 'Active', retained_at = null where tenant_uid = 'uid-tenant'$/],
  ['a Retained row of another installation is that one\'s', world.withRow(ready(), { state: 'Retained', installation: 'other' }), 'Planned', 'wait InstanceChanged'],
  ['nobody can say which Instance it is', ready({ instance: lost }), 'Planned', 'unknown ServerError'],
  ['another server answers', world.withCatalog(ready(), { systemIdentifier: '1' }), 'Planned', 'wait SystemIdentifierChanged'],
  ['another server answers with a registry of its own', world.withInstance(ready(), { systemIdentifier: '1' }), 'Planned', 'wait SystemIdentifierChanged'],
  ['another server answers, whose registry is silent about this Tenant', world.withInstance(fresh({ credential: known(live) }), { systemIdentifier: '1' }), 'Planned', 'wait SystemIdentifierChanged'],
  ['no server was recorded yet', world.withInstance(ready(), { systemIdentifier: '' }), 'Ready', 'top'],
  ['the server does not tell who it is any more', world.withCatalog(world.withInstance(ready(), { systemIdentifier: '1' }), { systemIdentifier: null }), 'Ready', 'top'],
  ['the server does not tell who it is', world.withCatalog(ready(), { systemIdentifier: null }), 'Ready', 'top'],
  ['a record, but no row', fresh({ credential: known(live) }), 'Planned', 'wait RegistryLost', /confirm=/],
  ['a record, but no row, and the names are taken', world.withCatalog(ready(), { row: null, holders: [holder], database: { ...world.catalog.database, tombstone: world.database } }), 'Planned', 'wait RegistryLost', /names are not free: database "shop_orders" exists, database "shop_orders" exists, role "shop_orders" exists, Tenant crm\/orders .UID uid-other. has a row with them; .*enters it again/],
  ['a deleted record, and no row', fresh({ credential: known({ kind: 'deleted', version: 4 }) }), 'Planned', 'wait RegistryLost'],
  ['no record, but the role was made with one', world.withCredential(ready(), { kind: 'absent' }), 'Planned', 'wait CredentialLost', /^OpenBao has no record prod\/shop\/orders\/uid-tenant, and so no version that could be undeleted; or, to make a new one, .*confirm=/],
  ['the record is deleted', world.withCredential(ready(), { kind: 'deleted', version: 4 }), 'Planned', 'wait CredentialLost', /no live version any more; undelete it .*confirm=/],
  ['the record is deleted, and no role was made yet', world.withCredential(world.withRow(ready(), { roleOid: null }), { kind: 'deleted', version: 1 }), 'Planned', 'wait CredentialLost'],
  ['the record is not whole', world.withCredential(ready(), { ...live, record: null }), 'Planned', 'wait CredentialInvalid'],
  ['the record cannot be read', ready({ credential: lost }), 'Planned', 'unknown ServerError'],
  ['a record cannot be made without an Instance', ready({ instance: known({ kind: 'absent' }), credential: known({ kind: 'absent' }) }), 'Planned', 'wait Pending'],
]);

const limited = (facts: TenantFacts): TenantFacts =>
  world.withCatalog(facts, { manager: { superuser: false, entersDatabases: false } });

// prettier-ignore
check('RoleCreated', [
  ['no role yet', world.withoutRole(ready()), 'CredentialCreated', 'step RoleMissing'],
  ['the role was renamed', world.withRole(ready(), { name: 'sales' }), 'CredentialCreated', 'wait Conflict', /\(OID 16400\) is named "sales"; if it was renamed, .* rename it back to "shop_orders"$/],
  ['a role of our name is not ours', world.withCatalog(ready(), { role: { registered: null, named: { ...world.role, oid: '90000' } } }), 'CredentialCreated', 'wait Conflict', /is not the one that was made/],
  ['it may not log in', world.withRole(ready(), { canLogin: false }), 'CredentialCreated', 'step RoleDrifted'],
  ['it was made a superuser, and the management role is none', limited(world.withRole(ready(), { superuser: true, canLogin: false })), 'CredentialCreated', 'wait RightsMissing', /alter role "shop_orders" nosuperuser$/],
  ['it was given attributes that only a superuser can take away', limited(world.withRole(ready(), { replication: true, bypassRls: true })), 'CredentialCreated', 'wait RightsMissing', /alter role "shop_orders" noreplication nobypassrls$/],
  ['what else differs is repaired first', limited(world.withRole(ready(), { replication: true, canLogin: false })), 'CredentialCreated', 'step RoleDrifted'],
]);

const notMade = world.withRow(world.withoutDatabase(ready()), { databaseOid: null });
const notOpened = world.withRow(world.withNamedDatabase(ready(), { oid: '16401', allowConnections: false }), {
  databaseOid: null,
});

// prettier-ignore
check('DatabaseCreated', [
  ['no database yet', notMade, 'RoleCreated', 'step DatabaseMissing'],
  ['it is being created', world.withCatalog(notMade, { inFlight: 'create' }), 'RoleCreated', 'wait DatabaseBusy', /create database/],
  ['a lost one is still being dropped', world.withCatalog(world.withoutDatabase(ready()), { inFlight: 'drop' }), 'RoleCreated', 'wait DatabaseBusy', /drop database/],
  ['it is there, and a session claims to create it', world.withCatalog(ready(), { inFlight: 'create' }), 'Ready', 'top'],
  ['it is there, and a session claims to drop it', world.withCatalog(ready(), { inFlight: 'drop' }), 'Ready', 'top'],
  ['it was created but not opened yet, and a session claims to drop it', world.withCatalog(notOpened, { inFlight: 'drop' }), 'RoleCreated', 'step DatabaseNotHardened'],
  ['the registered database is gone', world.withoutDatabase(ready()), 'RoleCreated', 'wait DatabaseLost', /OID 16401.*new and empty one, annotate this object with/],
  ['the registered database has another name', world.withDatabase(ready(), { name: 'sales' }), 'RoleCreated', 'wait DatabaseRenamed', /\(OID 16401\) is named "sales"; if it was renamed, .* rename it back to "shop_orders"$/],
  ['a drop of it was interrupted', world.withDatabase(ready(), { connectionLimit: -2 }), 'RoleCreated', 'wait DatabaseLost', /interrupted/],
  ['a database of our name belongs to somebody else', world.withNamedDatabase(ready(), { ownerOid: '90000', ownerName: 'dba' }), 'RoleCreated', 'wait Conflict', /belongs to "dba"/],
  ['a database of our name that our role owns was restored, and is bound again', world.withNamedDatabase(ready(), {}), 'RoleCreated', 'step DatabaseNotHardened'],
  ['a restored database whose drop was interrupted is never altered', world.withNamedDatabase(ready(), { connectionLimit: -2 }), 'RoleCreated', 'wait DatabaseLost'],
  ['it was created but not opened yet', notOpened, 'RoleCreated', 'step DatabaseNotHardened'],
  ['its owner was changed', world.withDatabase(ready(), { ownerOid: '90000' }), 'RoleCreated', 'step DatabaseNotHardened'],
  ['PUBLIC may connect', world.withDatabase(ready(), { publicConnect: true }), 'RoleCreated', 'step DatabaseNotHardened'],
  ['PUBLIC may make temporary tables', world.withDatabase(ready(), { publicTemporary: true }), 'RoleCreated', 'step DatabaseNotHardened'],
  ['it allows no connections', world.withDatabase(ready(), { allowConnections: false }), 'RoleCreated', 'step DatabaseNotHardened'],
  ['its connection limit lets nobody in', world.withDatabase(ready(), { connectionLimit: 0 }), 'RoleCreated', 'step DatabaseNotHardened'],
  ['a connection limit of its own is left alone', world.withDatabase(ready(), { connectionLimit: 5 }), 'Ready', 'top'],
  ['the management role is a member while it is being created', world.withCatalog(world.withRole(notMade, { selfGranted: true }), { inFlight: 'create' }), 'RoleCreated', 'wait DatabaseBusy'],
]);

const session = (change: object) => world.withSession(wished(ready()), { ...world.proven, ...change });
const early = (change: object): TenantFacts => ({ ...session(change), letIn: false });
const failures = { cube: { reason: 'ServerError', message: 'extension "cube": it broke' } };
const circle = [world.offer('cube', { requires: ['ring'] }), world.offer('ring', { requires: ['cube'] })];
const inCircle = (facts: TenantFacts) =>
  world.withWish(facts, { extensions: [{ name: 'cube' }, { name: 'ring' }] });

// prettier-ignore
check('ExternalSecretCreated', [
  ['the endpoint changed', world.withInstance(ready(), { endpoint: { host: 'new.example.com', port: 5432 } }), 'DatabaseCreated', 'step CredentialOutdated'],
  ['a rotation is no longer asked for', world.withRecord(ready(), { rotation: 'may' }), 'Ready', 'top'],
  ['another rotation is asked for', world.withWish(ready(), { rotation: 'may' }), 'DatabaseCreated', 'step CredentialOutdated'],
  ['without an Instance nobody knows what the record should say', ready({ instance: known({ kind: 'absent' }) }), 'DatabaseCreated', 'wait Pending'],
  ['the login could not be tried', ready({ session: lost }), 'Planned', 'unknown ServerError'],
  ['the login comes later', world.withSession(ready(), { kind: 'pending' }), 'DatabaseCreated', 'wait Pending'],
  ['the server refuses the password of a role that has another name now', world.withSession(world.withRole(ready(), { name: 'sales' }), { kind: 'rejected', afterReset: false }), 'CredentialCreated', 'wait Conflict'],
  ['the server refuses the password', world.withSession(ready(), { kind: 'rejected', afterReset: false }), 'DatabaseCreated', 'step PasswordRejected'],
  ['the server refuses it again', world.withSession(ready(), { kind: 'rejected', afterReset: true }), 'DatabaseCreated', 'wait PasswordRefused', /even after/],
  ['an extension for superusers, in a database that holds something already', early({ offers: [world.offer('cube', { superuser: true, trusted: false })], pristine: false }), 'DatabaseCreated', 'wait RequiresSuperuser', /the database is in use already/],
  ['the password is proven, and no connection is free', world.withSession(ready(), { kind: 'authenticated' }), 'Ready', 'top'],
  ['no connection is free to look at extensions', world.withWish(world.withSession(ready(), { kind: 'authenticated' }), { extensions: [{ name: 'cube' }] }), 'Ready', 'top'],
  ['a lock holds up the look at extensions before the application is in', world.withWish(world.withSession(ready({ letIn: false }), { kind: 'authenticated', locked: true }), { extensions: [{ name: 'cube' }] }), 'DatabaseCreated', 'wait LockHeld'],
  ['no connection is free to look at extensions before the application is in', world.withWish(world.withSession(ready({ letIn: false }), { kind: 'authenticated' }), { extensions: [{ name: 'cube' }] }), 'DatabaseCreated', 'wait LoginDelayed'],
  ['an extension is missing before the application is in', early({ offers: [world.offer('cube')] }), 'DatabaseCreated', 'step ExtensionsMissing'],
  ['all extensions are installed', session({ installed: [world.installed('cube')] }), 'Ready', 'top'],
  ['a bad extension holds everything up before the application is in', early({}), 'DatabaseCreated', 'wait ExtensionUnavailable'],
  ['a bad extension holds up nothing after that', session({}), 'Ready', 'top'],
  ['one that failed lately is not tried again', early({ offers: [world.offer('cube')], failures }), 'DatabaseCreated', 'wait ServerError', /it broke/],
  ['extensions in a circle come to nothing', inCircle(early({ offers: circle })), 'DatabaseCreated', 'wait ExtensionRequires', /in a circle/],
  ['extensions in a circle hold up nothing after that', inCircle(session({ offers: circle })), 'Ready', 'top'],
  ['a good extension is not held up by a bad one', world.withWish(early({ offers: [world.offer('cube')] }), { extensions: [{ name: 'bad' }, { name: 'cube' }] }), 'DatabaseCreated', 'step ExtensionsMissing'],
  ['there is no ExternalSecret', ready({ child: known({ kind: 'absent' }) }), 'DatabaseCreated', 'step ExternalSecretMissing'],
  ['an ExternalSecret of our name is not ours', ready({ child: known({ kind: 'foreign' }) }), 'DatabaseCreated', 'wait Conflict'],
  ['nobody can say whether there is one', ready({ child: lost }), 'Planned', 'unknown ServerError'],
  ['it is being deleted', world.withObject(ready(), { metadata: { ...world.externalSecret().metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } }), 'DatabaseCreated', 'wait ExternalSecretDeleting'],
  ['it was edited', world.withObject(ready(), { spec: { ...world.externalSecret().spec, refreshInterval: '1s' } }), 'DatabaseCreated', 'step ExternalSecretOutdated'],
  ['it is pinned to an older version', world.withCredential(ready(), { ...live, version: 2 }), 'DatabaseCreated', 'step ExternalSecretOutdated'],
  ['it is pinned to a version of the same number from before a restore', world.withCredential(ready(), { ...live, createdAt: '2026-02-02T00:00:00Z' }), 'DatabaseCreated', 'step ExternalSecretOutdated'],
]);

const synced = (status: string, reason: string | undefined, version: string, message?: string) =>
  world.withObject(ready(), {
    status: {
      syncedResourceVersion: version,
      conditions: [
        {
          type: 'Ready',
          status,
          ...(reason === undefined ? {} : { reason }),
          ...(message === undefined ? {} : { message }),
        },
      ],
    },
  });

// prettier-ignore
check('CredentialProjected', [
  ['External Secrets said nothing yet', world.withObject(ready(), { status: undefined }), 'ExternalSecretCreated', 'wait SecretNotSynced', /has not looked at Secret "orders-postgresql".*kubectl -n shop describe externalsecret orders-postgresql\. If it stays so, .*ClusterSecretStore "openbao" exists/],
  ['External Secrets has a status without conditions', world.withObject(ready(), { status: {} }), 'ExternalSecretCreated', 'wait SecretNotSynced'],
  ['an older generation was written', synced('True', 'SecretSynced', '0-4b9a8f'), 'ExternalSecretCreated', 'wait SecretNotSynced'],
  ['generation 10 is not generation 1', synced('True', 'SecretSynced', '10-4b9a8f'), 'ExternalSecretCreated', 'wait SecretNotSynced'],
  ['written for another reason', synced('True', 'SecretDeleted', '1-4b9a8f'), 'ExternalSecretCreated', 'wait SecretNotSynced'],
  ['Ready without a message is enough', synced('True', 'SecretSynced', '1-4b9a8f'), 'Ready', 'top'],
  ['an older Secret was kept for want of data', synced('True', 'SecretSynced', '1-4b9a8f', 'secret retained due to DeletionPolicy=Retain'), 'ExternalSecretCreated', 'wait SecretNotSynced', /kept an older Secret/],
  ['a refresh that fails later lowers nothing', synced('False', 'SecretSyncedError', '1-4b9a8f'), 'Ready', 'top'],
  ['a failure before the first write', synced('False', 'SecretSyncedError', ''), 'ExternalSecretCreated', 'wait SecretNotSynced', /\(SecretSyncedError\)/],
]);

// prettier-ignore
check('Ready', [
  ['everything holds', ready(), 'Ready', 'top'],
  ['a login that need not be made yet leaves it so', world.withSession(ready(), { kind: 'deferred' }), 'Ready', 'top'],
  ['a login that need not be made yet leaves extensions so', world.withSession(wished(ready()), { kind: 'deferred' }), 'Ready', 'top'],
  ['a namespace that is no longer served lowers nothing', ready({ namespaceAllowed: known(false) }), 'Ready', 'top'],
  ['an Instance that is not Ready lowers nothing', world.withInstance(ready(), { ready: false }), 'Ready', 'top'],
  ['a terminating Instance goes on serving', world.withInstance(ready(), { ready: false, terminating: true }), 'Ready', 'top'],
  ['what no longer matters may be unknown', ready({ namespaceAllowed: lost, offers: lost }), 'Ready', 'top'],
]);
