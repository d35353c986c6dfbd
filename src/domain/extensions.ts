import type { WishedExtension } from '../api/tenant.ts';
import type { ExtensionOffer, InstalledExtension } from './catalog.ts';
import type { TenantFacts } from './facts.ts';
import type { Note } from './verdict.ts';
import { sqlName } from './sql-name.ts';
import type { ExtensionInstall } from './steps.ts';

const listedForGood = 'a listed extension cannot be changed, so';

/** Every database made from template0 has it. */
const always = ['plpgsql'];

export type ExtensionJudgement =
  | { readonly kind: 'installed' }
  | { readonly kind: 'installable'; readonly install: ExtensionInstall }
  /** Another listed extension has to come first. */
  | { readonly kind: 'later' }
  | ({ readonly kind: 'bad' } & Note);

interface Context {
  readonly offers: readonly ExtensionOffer[];
  readonly installed: readonly InstalledExtension[];
  /** Names of everything that the Tenant lists. */
  readonly listed: readonly string[];
  /** The management role and its login are superusers: without both it does not get into the database. */
  readonly superuser: boolean;
  /** Nobody has put anything into the database yet: only then may a superuser session enter it. */
  readonly untouched: boolean;
  /** For the SQL in messages; undefined: it is not there yet. */
  readonly database: string | undefined;
}

/** Judges one wished extension by what the server offers and what the database has. */
export function judgeExtension(wished: WishedExtension, context: Context): ExtensionJudgement {
  const present = context.installed.find(({ name }) => name === wished.name);
  if (present !== undefined) return judgeInstalled(wished, present);
  const offer = offerFor(wished, context.offers);
  if (offer === undefined) return unavailable(wished);
  const fault = faultOfOffer(wished, offer, context);
  if (fault !== null) return { kind: 'bad', ...fault };
  const have = [...always, ...context.installed.map(({ name }) => name)];
  if (offer.requires.some((name) => !have.includes(name))) return { kind: 'later' };
  return { kind: 'installable', install: installOf(wished, offer) };
}

const offerFor = (wished: WishedExtension, offers: readonly ExtensionOffer[]): ExtensionOffer | undefined =>
  offers.find(
    (offer) =>
      offer.name === wished.name &&
      (wished.version === undefined ? offer.isDefault : offer.version === wished.version),
  );

const unavailable = (wished: WishedExtension): ExtensionJudgement => ({
  kind: 'bad',
  reason: 'ExtensionUnavailable',
  message: `the server does not offer extension "${wished.name}"${wished.version === undefined ? '' : ` in version ${wished.version}`}; ${listedForGood} ask the database administrator to install it (the Tenant then goes on by itself), or create another Tenant without it`,
});

function judgeInstalled(wished: WishedExtension, present: InstalledExtension): ExtensionJudgement {
  const sameSchema = wished.schema === undefined || wished.schema === present.schema;
  const sameVersion = wished.version === undefined || wished.version === present.version;
  if (sameSchema && sameVersion) return { kind: 'installed' };
  return {
    kind: 'bad',
    reason: 'ExtensionMismatch',
    message: `extension "${wished.name}" is installed in schema "${present.schema}" in version ${present.version}, which is not what spec.extensions asks for; the owner of the database can change it with "alter extension"`,
  };
}

function faultOfOffer(wished: WishedExtension, offer: ExtensionOffer, context: Context): Note | null {
  if (wished.schema?.startsWith('pg_') === true) {
    return {
      reason: 'NameReserved',
      message: `schema "${wished.schema}" of extension "${wished.name}" is reserved by PostgreSQL; ${listedForGood} create another Tenant with another schema`,
    };
  }
  if (offer.fixedSchema !== null && wished.schema !== undefined && wished.schema !== offer.fixedSchema) {
    return {
      reason: 'ExtensionMismatch',
      message: `extension "${wished.name}" can only live in schema "${offer.fixedSchema}"; ${listedForGood} create another Tenant that leaves its schema out`,
    };
  }
  const there = [...always, ...context.listed, ...context.installed.map(({ name }) => name)];
  const missing = offer.requires.filter((name) => !there.includes(name));
  if (missing.length > 0) {
    return {
      reason: 'ExtensionRequires',
      message: `extension "${wished.name}" needs ${missing.map((name) => `"${name}"`).join(', ')}; list that in spec.extensions too`,
    };
  }
  if (needsManagement(offer) && !(context.superuser && context.untouched)) {
    return { reason: 'RequiresSuperuser', message: askSuperuser(wished, offer, context) };
  }
  return null;
}

export const notSuperusers = 'role and login of the Instance are not both superusers';

/** What cannot be seen is told by itself, and not as a lack of rights. */
export const entersDatabases = ({ catalog }: TenantFacts): boolean =>
  !catalog.known || catalog.value.manager.entersDatabases;

function askSuperuser(wished: WishedExtension, offer: ExtensionOffer, context: Context): string {
  const { superuser, database } = context;
  const needs = `extension "${wished.name}" needs a superuser`;
  const why = superuser ? 'the database is in use already' : notSuperusers;
  const schema = offer.fixedSchema === null ? ` with schema ${sqlName(wished.schema ?? 'public')}` : '';
  const run = `create extension ${sqlName(wished.name)}${schema}`;
  return database === undefined
    ? `${needs}, and ${why}; create another Tenant without it, ask the database administrator to run in its database: ${run}, and list it then`
    : `${needs}, and ${why}; ask the database administrator to run, in database ${sqlName(database)}: ${run}`;
}

const needsManagement = (offer: ExtensionOffer): boolean => offer.superuser && !offer.trusted;

const installOf = (wished: WishedExtension, offer: ExtensionOffer): ExtensionInstall => ({
  name: wished.name,
  schema: offer.fixedSchema === null ? (wished.schema ?? 'public') : undefined,
  version: wished.version,
  as: needsManagement(offer) ? 'management' : 'tenant',
});
