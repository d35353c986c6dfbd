import type { TenantHookRequest } from '../api/hook.ts';
import type { TenantCatalog } from '../domain/catalog.ts';
import type { CredentialPath, StoredCredential } from '../domain/credential.ts';
import { known, unknown, type Fact } from '../domain/fact.ts';
import type { Settings, TenantFacts, TenantWish } from '../domain/facts.ts';
import { extensionsInstalled } from '../domain/login-checks.ts';
import { faultOfName } from '../domain/names.ts';
import { tenantPhases } from '../api/tenant.ts';
import { attempt } from './attempt.ts';
import type { Context } from './context.ts';
import { observeChild } from './observe-child.ts';
import { observeInstanceOf } from './observe-instance-of.ts';
import { observeSession, type SessionLook } from './observe-session.ts';
import type { Observation } from './observation.ts';
import type { Server, TenantHandle } from './ports.ts';
import { tenantWish } from './wish.ts';

/** Looks at everything that a Tenant's decision is made from. Writes nothing. */
export async function observeTenant(context: Context, request: TenantHookRequest): Promise<Observation> {
  const at = context.clock.now();
  const { parent } = request;
  const asked = tenantWish(parent);
  const path = pathOf(context, asked);
  const [around, read, child] = await Promise.all([
    observeInstanceOf(context, asked.instanceName, asked.namespace),
    attempt(() => context.credentials.read(path)),
    observeChild(context.kubernetes, request),
  ]);
  const catalog = await observeCatalog(around.server, asked);
  const wish = withClaimedNames(asked, catalog);
  const credential: Fact<StoredCredential> = read.known ? known(read.value.stored) : read;
  const password = read.known ? read.value.password : undefined;
  const server = around.server.known ? around.server.value : undefined;
  const handle = handleOf(wish, catalog);
  const { instance, namespaceAllowed } = around;
  const look = request.finalizing
    ? noLook
    : await observeSession(context, { parent, server, handle, catalog, credential, child, password });
  const facts: TenantFacts = {
    ...{ wish, instance, namespaceAllowed, catalog, credential, child },
    settings: settingsOf(context, path),
    offers: await observeOffers(server, { wish, instance, catalog, credential }),
    session: look.session,
    letIn: wasLetIn(request, child),
  };
  rememberIfAtRest(context, look, facts);
  return { facts, at, path, server, handle, password, sessionKey: look.key };
}

const noLook: SessionLook = { session: known({ kind: 'pending' }), key: null, fresh: false };

/** A result that asks for a step is not kept: the step, of whichever replica, makes it untrue. */
function rememberIfAtRest(
  { sessions }: Context,
  { key, session, fresh }: SessionLook,
  facts: TenantFacts,
): void {
  if (!fresh || key === null || !session.known) return;
  const seen = session.value;
  if (seen.kind === 'authenticated' && seen.locked === true) sessions.putOff(facts.wish.uid, key, seen);
  if (seen.kind !== 'proven') return;
  const extensions = extensionsInstalled(facts);
  const atRest = extensions.kind === 'holds' || (extensions.kind === 'told' && extensions.step === undefined);
  if (atRest) sessions.remember(facts.wish.uid, key, seen);
}

const pathOf = ({ settings }: Context, wish: TenantWish): CredentialPath => ({
  installation: settings.installation,
  namespace: wish.namespace,
  name: wish.name,
  tenantUid: wish.uid,
});

const settingsOf = (context: Context, path: CredentialPath): Settings => ({
  installation: context.settings.installation,
  store: context.settings.store,
  credentialKey: [path.installation, path.namespace, path.name, path.tenantUid].join('/'),
  credentialUrl: context.credentials.url(path),
});

async function observeCatalog(
  server: Fact<Server | undefined>,
  wish: TenantWish,
): Promise<Fact<TenantCatalog>> {
  if (!server.known) return server;
  const found = server.value;
  if (found === undefined) {
    return unknown(
      'InstanceNotFound',
      `PostgreSQLInstance "${wish.instanceName}" does not exist; ask the platform administrator to create it`,
    );
  }
  const databaseName = askable(wish.databaseName);
  const roleName = askable(wish.roleName);
  return attempt(() => found.observe.tenant({ tenantUid: wish.uid, databaseName, roleName }));
}

/** PostgreSQL cannot be asked for what is no name to it; nothing can have it, and the row of the UID is found all the same. */
const askable = (name: string): string =>
  faultOfName('name', name, [])?.reason === 'NameInvalid' ? '' : name;

/** After the claim the row's names are the names. */
function withClaimedNames(wish: TenantWish, catalog: Fact<TenantCatalog>): TenantWish {
  const row = catalog.known ? catalog.value.row : null;
  return row === null ? wish : { ...wish, databaseName: row.databaseName, roleName: row.roleName };
}

function handleOf(wish: TenantWish, catalog: Fact<TenantCatalog>): TenantHandle | undefined {
  if (!catalog.known) return undefined;
  const { row, observedAt } = catalog.value;
  return {
    tenantUid: wish.uid,
    databaseName: wish.databaseName,
    roleName: wish.roleName,
    roleOid: row?.roleOid ?? null,
    databaseOid: row?.databaseOid ?? null,
    observedAt,
  };
}

/** Asked for a first claim only: later the tenant's own database answers. */
async function observeOffers(
  server: Server | undefined,
  { wish, instance, catalog, credential }: Pick<TenantFacts, 'wish' | 'instance' | 'catalog' | 'credential'>,
): Promise<TenantFacts['offers']> {
  const fresh =
    catalog.known && catalog.value.row === null && credential.known && credential.value.kind === 'absent';
  const ready = instance.known && instance.value.kind === 'found' && instance.value.ready;
  if (!fresh || !ready || server === undefined || wish.extensions.length === 0) return known([]);
  return attempt(() => server.observe.extensions(wish.extensions.map(({ name }) => name)));
}

const handedOver = tenantPhases.indexOf('ExternalSecretCreated');

/** The ExternalSecret is or was there, by its own word or by what is recorded. */
function wasLetIn({ parent }: TenantHookRequest, child: TenantFacts['child']): boolean {
  if (child.known && child.value.kind === 'ours') return true;
  const { phase, secretRef } = parent.status ?? {};
  return secretRef !== undefined || (phase !== undefined && tenantPhases.indexOf(phase) >= handedOver);
}
