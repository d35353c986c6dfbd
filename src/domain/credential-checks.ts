import { pinOf } from './children.ts';
import { rowOf } from './claim.ts';
import { afterConfirmation } from './confirm.ts';
import type { CredentialRecord, StoredCredential } from './credential.ts';
import type { TenantFacts } from './facts.ts';
import type { TenantStep } from './steps.ts';
import { cannotTell, holds, pending, step, type Verdict } from './verdict.ts';

/** OpenBao has a live record of this Tenant. The password is made once, here, before anything in PostgreSQL has it. */
export function credentialStored(facts: TenantFacts): Verdict<TenantStep> {
  const { credential, settings, wish } = facts;
  const row = rowOf(facts);
  if (row === null) return pending;
  if (!credential.known) return cannotTell(credential);
  const stored = credential.value;
  if (stored.kind === 'live' && stored.record !== null) return holds;
  const record = expectedRecord(facts);
  if (record === null) return pending;
  const write: TenantStep = { kind: 'WriteCredential', cas: versionOf(stored), record, password: 'new' };
  if (stored.kind === 'absent' && row.roleOid === null) {
    return step('CredentialMissing', 'writing the credential to OpenBao', write);
  }
  return afterConfirmation(wish.confirm, {
    ...(stored.kind === 'live'
      ? {
          reason: 'CredentialInvalid',
          message: `the newest version of record ${settings.credentialKey} in OpenBao is not one that this operator wrote; roll it back to the version before to keep the password`,
        }
      : {
          reason: 'CredentialLost',
          message:
            stored.kind === 'deleted'
              ? `record ${settings.credentialKey} in OpenBao has no live version any more; undelete it to keep the password`
              : `OpenBao has no record ${settings.credentialKey}, and so no version that could be undeleted`,
        }),
    // The version that was handed over tells one loss from the next: numbering restarts with a new history.
    lost: [wish.uid, row.roleOid ?? '', String(versionOf(stored)), handedOver(facts)],
    purpose: 'or, to make a new one',
    step: write,
  });
}

/** The record says what is so now: endpoint, database, role, and the rotation that was asked for. */
export function recordCurrent(facts: TenantFacts): Verdict<TenantStep> {
  const { credential, instance } = facts;
  if (!credential.known) return cannotTell(credential);
  if (!instance.known) return cannotTell(instance);
  const expected = expectedRecord(facts);
  const stored = credential.value;
  if (expected === null || stored.kind !== 'live' || stored.record === null) return pending;
  // Taking the value away asks for nothing; the record goes on naming the one that its password was made for.
  const rotated = expected.rotation !== '' && stored.record.rotation !== expected.rotation;
  if (!rotated && sameRecord(stored.record, expected)) return holds;
  return step(
    'CredentialOutdated',
    rotated ? 'rotating the password' : 'bringing the record in OpenBao up to date',
    {
      kind: 'WriteCredential',
      cas: stored.version,
      record: rotated ? expected : { ...expected, rotation: stored.record.rotation },
      password: rotated ? 'new' : 'keep',
    },
  );
}

function handedOver({ child }: TenantFacts): string {
  const pin = child.known && child.value.kind === 'ours' ? pinOf(child.value.object) : null;
  return pin?.createdAt ?? '';
}

const versionOf = (stored: StoredCredential): number => (stored.kind === 'absent' ? 0 : stored.version);

/** The record as it should be; null while the row or the Instance is not there. */
function expectedRecord(facts: TenantFacts): CredentialRecord | null {
  const row = rowOf(facts);
  if (row === null || !facts.instance.known || facts.instance.value.kind === 'absent') return null;
  const { endpoint, sslmode, certificates } = facts.instance.value;
  return {
    type: 'postgresql',
    provider: 'postgresql-tenant-operator',
    host: endpoint.host,
    hostaddr: endpoint.hostAddress ?? '',
    port: String(endpoint.port),
    database: row.databaseName,
    username: row.roleName,
    sslmode,
    certificates,
    rotation: facts.wish.rotation,
  };
}

const recordFields = [
  'type',
  'provider',
  'host',
  'hostaddr',
  'port',
  'database',
  'username',
  'sslmode',
  'certificates',
] as const satisfies readonly (keyof CredentialRecord)[];

const sameRecord = (a: CredentialRecord, b: CredentialRecord): boolean =>
  recordFields.every((field) => a[field] === b[field]);
