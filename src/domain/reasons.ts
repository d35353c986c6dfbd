/**
 * Every reason that a condition can carry, with what it means: the API reference is written from this table.
 * `stalled`: it will not mend itself; somebody must change the wish or the world (kstatus `Stalled`).
 */
interface ReasonEntry {
  readonly stalled: boolean;
  readonly meaning: string;
}

const mends = (meaning: string): ReasonEntry => ({ stalled: false, meaning });
const stalls = (meaning: string): ReasonEntry => ({ stalled: true, meaning });

export const reasons = {
  // What a True condition says
  Reached: mends('What this condition is named after was read back and holds.'),
  NoExtensions: mends('The Tenant asks for no extension.'),

  // On the way up: the operator takes the next step by itself
  Pending: mends('An earlier phase comes first.'),
  NamesUnclaimed: mends('The names are about to be claimed in the registry.'),
  CredentialMissing: mends('The credential is about to be written to OpenBao.'),
  CredentialOutdated: mends(
    'A new version of the record is about to be written (endpoint or rotation changed).',
  ),
  RoleMissing: mends('The role is about to be created.'),
  RoleDrifted: mends('An attribute of the role differs and is about to be repaired.'),
  DatabaseMissing: mends('The database is about to be created.'),
  DatabaseBusy: mends('PostgreSQL is still creating or dropping the database.'),
  DatabaseNotHardened: mends(
    'Owner, PUBLIC grants or connections of the database are about to be put right.',
  ),
  PasswordRejected: mends('PostgreSQL refused the recorded password; it is about to be set again.'),
  PasswordRefused: stalls('PostgreSQL refuses the recorded password even after it was set again.'),
  ExtensionsMissing: mends('An extension is about to be installed.'),
  ExternalSecretMissing: mends('The ExternalSecret is about to be created.'),
  ExternalSecretOutdated: mends('The ExternalSecret is about to be brought back to what it should say.'),
  ExternalSecretDeleting: mends('The ExternalSecret is being deleted; a new one follows.'),
  SecretNotSynced: mends('External Secrets has not yet written the pinned version into the Secret.'),
  RegistryOutdated: mends('The registry is about to be created or migrated.'),
  InstanceUnregistered: mends('The Instance is about to be entered in its registry.'),

  // Advice
  PublicConnectPossible: mends('PUBLIC may connect to databases around the tenants (advice only).'),

  // Admission: what a first claim waits for or is refused for
  InstanceNotFound: mends('No PostgreSQLInstance of this name exists.'),
  InstanceNotReady: mends('The PostgreSQLInstance is not Ready; its own conditions say why.'),
  InstanceTerminating: mends('The PostgreSQLInstance is being deleted and takes no new Tenant.'),
  NamespaceTerminating: mends('The namespace is being deleted, so nothing new is made in it.'),
  NamespaceNotAllowed: stalls('The PostgreSQLInstance does not serve this namespace.'),
  NameInvalid: stalls('A name cannot be used in PostgreSQL as it is.'),
  NameReserved: stalls('A name is reserved by PostgreSQL, by a provider or by this operator.'),
  Conflict: stalls('The name belongs to something else, which is never taken over.'),
  ExtensionUnavailable: stalls('The server does not offer this extension, or not in this version.'),
  ExtensionRequires: stalls('The extension needs another one that the Tenant does not list.'),
  RequiresSuperuser: stalls(
    'Only a superuser may install this extension: role and login of the Instance are not both superusers, or the database is in use already.',
  ),
  ExtensionMismatch: stalls('The extension is installed in another schema or version than asked for.'),

  // Lost or changed underneath: nothing is done without a human's word
  DatabaseLost: stalls('The registered database is gone.'),
  DatabaseRenamed: stalls('The registered database has another name now.'),
  CredentialLost: stalls('OpenBao had a record for this Tenant and has none that is live.'),
  CredentialInvalid: stalls('The record in OpenBao is not one that this operator wrote.'),
  RegistryLost: stalls('The registry, or its row for this Tenant, is gone.'),
  InstanceChanged: stalls('The registry row belongs to another Instance or another installation.'),
  RowRetained: stalls('The registry row of this live Tenant is marked Retained.'),
  SystemIdentifierChanged: stalls('Another PostgreSQL server answers under this address.'),

  // PostgreSQL
  InstanceUnreachable: mends('The PostgreSQL server cannot be reached.'),
  TLSVerificationFailed: stalls('The certificate of the server does not verify, or the server refuses TLS.'),
  CertificateSANMissing: stalls('The certificate lacks the DNS name or the IP address of the Instance.'),
  InvalidCABundle: stalls('The CA bundle is not a sequence of PEM certificates.'),
  ManagementSecretMissing: mends('The management Secret, or a key in it, is not there.'),
  ManagementSecretInvalid: stalls('The management Secret holds something that cannot be a login.'),
  ManagementDatabaseMissing: stalls('The management database does not exist.'),
  AuthenticationFailed: stalls('The server refuses the management login.'),
  InsecureAuthentication: stalls('The server asks for the password in clear text or as md5.'),
  PoolerDetected: stalls('A connection pooler answers; the operator needs the server itself.'),
  StandbyDetected: stalls('A standby answers; the operator needs the primary.'),
  VersionUnsupported: stalls('The server is older than PostgreSQL 15.'),
  TemplateUnusable: stalls('template0 is gone, or its locale does not allow databases in UTF-8.'),
  RightsMissing: stalls('The management role lacks a right; the message has the SQL that gives it.'),
  AdminRoleUnusable: stalls(
    'The role that spec.adminRole names does not exist, or the management login is not a member of it.',
  ),
  PermissionDenied: stalls('PostgreSQL denied permission for a statement.'),
  ServerError: mends('PostgreSQL answered a statement with an error.'),
  RegistryMissing: stalls('The registry does not exist yet, or a part of it is gone.'),
  RegistryTooNew: stalls('The registry was written by a newer version of this operator.'),
  StaleDecision: mends('The observation behind a step was too old; it is made again.'),
  LoginUnverifiable: stalls('The server lets the application in without checking its password.'),
  LoginRefused: stalls('The password is right, but the server refuses the application.'),
  LockHeld: mends(
    'A session holds a lock on the role or the database of the Tenant, or on one that it was given rights on.',
  ),
  LoginDelayed: mends('The application uses up its connections; the login is checked again later.'),

  // OpenBao
  OpenBaoUnreachable: mends('OpenBao cannot be reached.'),
  OpenBaoSealed: mends('OpenBao is sealed or has no active node.'),
  OpenBaoForbidden: stalls('OpenBao denies the operator access.'),
  OpenBaoLoginFailed: stalls(
    'The operator cannot log in to OpenBao: its own token, the auth mount or the role there is not right.',
  ),
  OpenBaoMountInvalid: stalls('The mount is missing or is not KV version 2.'),
  OpenBaoExpiresRecords: stalls(
    'The mount deletes versions after a time: a credential would vanish by itself.',
  ),
  OpenBaoError: mends('OpenBao answered with an error.'),

  // Kubernetes
  KubernetesUnreachable: mends('The Kubernetes API cannot be reached.'),
  KubernetesForbidden: stalls('The Kubernetes API denies the operator access.'),
  KubernetesAnswerInvalid: mends(
    'The Kubernetes API answered with something that is not the object asked for.',
  ),

  // Deletion
  Deleting: mends('What belongs to this object is being taken away, step by step.'),
  Deleted: mends('This part does not exist any more.'),
  DeletionBlocked: stalls('Something stands in the way of the deletion; the message names it.'),
  ExternalSecretOrphaned: stalls(
    'The ExternalSecret was orphaned and still hands out the credential, so nothing is deleted.',
  ),
  Retained: mends('Everything outside Kubernetes was kept, and its names stay reserved.'),
  TenantsExist: mends('Tenants still live on this Instance.'),

  // Not a condition: the answer is HTTP 429
  Busy: mends('A lock or a slot is held elsewhere; Metacontroller calls again.'),
} as const satisfies Record<string, ReasonEntry>;

export type Reason = keyof typeof reasons;
