import type { PostgreSQLTenant } from '../api/tenant.ts';
import type { TenantCatalog } from '../domain/catalog.ts';
import { pinOf } from '../domain/children.ts';
import type { StoredCredential } from '../domain/credential.ts';
import { ownDatabase } from '../domain/database-checks.ts';
import { known, type Fact } from '../domain/fact.ts';
import type { Child, Session } from '../domain/facts.ts';
import type { Secret } from '../secret.ts';
import { attempt } from './attempt.ts';
import type { Context } from './context.ts';
import type { Server, SessionResult, TenantHandle } from './ports.ts';

export interface SessionSubject {
  readonly parent: PostgreSQLTenant;
  readonly server: Server | undefined;
  readonly handle: TenantHandle | undefined;
  readonly catalog: Fact<TenantCatalog>;
  readonly credential: Fact<StoredCredential>;
  readonly child: Fact<Child>;
  readonly password: Secret | undefined;
}

export interface SessionLook {
  readonly session: Fact<Session>;
  /** What the check was about; null while there is nothing to log in to. */
  readonly key: string | null;
  /** It was made now, not remembered. */
  readonly fresh: boolean;
}

/**
 * Logs in as the application does, unless it is known from before: one connection into the tenant's database shows
 * both that the recorded password works and which extensions are there. A Ready Tenant that this replica has never
 * checked (it was restarted) is left as recorded until its turn comes.
 */
export async function observeSession(context: Context, subject: SessionSubject): Promise<SessionLook> {
  const { sessions } = context;
  const { server, handle, password, parent } = subject;
  const { uid } = parent.metadata;
  const key = keyOf(subject);
  if (server === undefined || handle === undefined || password === undefined || key === null) {
    return { session: known({ kind: 'pending' }), key: null, fresh: false };
  }
  const remembered = sessions.recall(uid, key);
  if (remembered !== undefined) return { session: known(remembered), key, fresh: false };
  if (isSettled(subject) && sessions.mayDefer(uid, key)) {
    return { session: known({ kind: 'deferred' }), key, fresh: false };
  }
  const wanted = (parent.spec.extensions ?? []).map(({ name }) => name);
  const looked = await attempt(() => server.observe.session(handle, password, wanted));
  if (!looked.known) return { session: looked, key, fresh: false };
  return { session: known(sessionOf(context, uid, key, looked.value)), key, fresh: true };
}

function sessionOf({ sessions }: Context, uid: string, key: string, result: SessionResult): Session {
  if (result.kind === 'rejected') return { kind: 'rejected', afterReset: sessions.passwordWasSet(uid, key) };
  if (result.kind === 'authenticated') return result;
  const { extensions: installed, offers, pristine } = result;
  return { kind: 'proven', installed, offers, pristine, failures: sessions.failuresOf(uid, key) };
}

/** Whom and what a check is about; null while there is nothing to log in to. */
function keyOf({ catalog, credential, parent }: SessionSubject): string | null {
  if (!catalog.known || !credential.known || credential.value.kind !== 'live') return null;
  const { row, role } = catalog.value;
  const database = ownDatabase(catalog.value);
  if (row === null || role.registered === null || database === null) return null;
  const open =
    database.oid === row.databaseOid && database.name === row.databaseName && database.allowConnections;
  // A password that has expired is refused like a wrong one, and must not be taken for one.
  const lockedOut = !role.registered.canLogin || role.registered.expires;
  if (!open || lockedOut) return null;
  const { version, createdAt } = credential.value;
  return [version, createdAt, role.registered.oid, database.oid, parent.metadata.generation].join(' ');
}

/**
 * Ready was concluded for this generation, with this very credential: there is something to fall back on. An extension
 * that is on its way must not wait for hours because the replica that was installing it is gone.
 */
function isSettled({ parent, child, credential }: SessionSubject): boolean {
  const { status, metadata } = parent;
  const said = (name: string) => status?.conditions?.find(({ type }) => type === name);
  const concluded = ['ExtensionsInstalled', 'Ready'].every(
    (type) => said(type)?.observedGeneration === metadata.generation,
  );
  const isReady = status?.phase === 'Ready' && said('Ready')?.status === 'True';
  if (!isReady || !concluded || !child.known || child.value.kind !== 'ours') return false;
  const pin = pinOf(child.value.object);
  const stored = credential.known && credential.value.kind === 'live' ? credential.value : null;
  return pin !== null && pin.version === stored?.version && pin.createdAt === stored.createdAt;
}
