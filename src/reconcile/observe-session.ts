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
import type { Server, TenantHandle } from './ports.ts';

export interface SessionSubject {
  readonly parent: PostgreSQLTenant;
  readonly server: Server | undefined;
  readonly handle: TenantHandle | undefined;
  readonly catalog: Fact<TenantCatalog>;
  readonly credential: Fact<StoredCredential>;
  readonly child: Fact<Child>;
  readonly password: Secret | undefined;
}

/**
 * Logs in as the application does, unless it is known from before: one connection into the tenant's database shows
 * both that the recorded password works and which extensions are there. A Ready Tenant that this replica has never
 * checked (it was restarted) is left as recorded until its turn comes.
 */
export async function observeSession(context: Context, subject: SessionSubject): Promise<Fact<Session>> {
  const { server, handle, password, parent } = subject;
  const key = keyOf(subject);
  if (server === undefined || handle === undefined || password === undefined || key === null) {
    return known({ kind: 'pending' });
  }
  const { uid } = parent.metadata;
  const remembered = context.sessions.recall(uid, key);
  if (remembered !== undefined) return known(remembered);
  if (isSettled(subject) && context.sessions.mayDefer(uid, key)) return known({ kind: 'deferred' });
  const wanted = (parent.spec.extensions ?? []).map(({ name }) => name);
  const looked = await attempt(() => server.observe.session(handle, password, wanted));
  if (!looked.known) return looked;
  const session: Session =
    looked.value.kind === 'rejected'
      ? { kind: 'rejected', afterReset: context.sessions.passwordWasSet(uid, key) }
      : {
          kind: 'proven',
          installed: looked.value.extensions,
          offers: looked.value.offers,
          failures: context.sessions.failuresOf(uid, key),
        };
  context.sessions.remember(uid, key, session);
  return known(session);
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
  if (!open || lockedOut || catalog.value.inFlight !== null) return null;
  const { version, createdAt } = credential.value;
  return [version, createdAt, role.registered.oid, database.oid, parent.metadata.generation].join(' ');
}

/** Ready was concluded for this generation, with this very credential: there is something to fall back on. */
function isSettled({ parent, child, credential }: SessionSubject): boolean {
  const { status, metadata } = parent;
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  const concluded =
    status?.phase === 'Ready' && ready?.status === 'True' && ready.observedGeneration === metadata.generation;
  if (!concluded || !child.known || child.value.kind !== 'ours') return false;
  const pin = pinOf(child.value.object);
  const stored = credential.known && credential.value.kind === 'live' ? credential.value : null;
  return pin !== null && pin.version === stored?.version && pin.createdAt === stored.createdAt;
}
