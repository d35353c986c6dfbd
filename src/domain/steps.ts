import type { CredentialRecord } from './credential.ts';

/** Attributes of the role that differ from what they should be, with what they should be. */
export interface RoleRepair {
  readonly login?: true;
  readonly inherit?: true;
  readonly superuser?: false;
  readonly createDb?: false;
  readonly createRole?: false;
  readonly replication?: false;
  readonly bypassRls?: false;
  readonly connectionLimit?: number;
  readonly neverExpires?: true;
}

export interface ExtensionInstall {
  readonly name: string;
  readonly schema: string | undefined;
  readonly version: string | undefined;
  /** Trusted ones are created by the tenant's own login and belong to it, others by the management role. */
  readonly as: 'tenant' | 'management';
}

/** The management role's own grant of the tenant's role, which an interrupted step left behind, is taken back. */
interface ReturnMembership {
  readonly kind: 'ReturnMembership';
}

/** One write, small enough to be repeated without harm. Going up: */
export type TenantStep =
  | { readonly kind: 'ClaimNames' }
  | {
      readonly kind: 'WriteCredential';
      /** Version that the write replaces; 0: none. */
      readonly cas: number;
      readonly record: CredentialRecord;
      readonly password: 'new' | 'keep';
    }
  | { readonly kind: 'CreateRole' }
  | { readonly kind: 'RepairRole'; readonly repair: RoleRepair }
  | ReturnMembership
  | { readonly kind: 'SetPassword' }
  | { readonly kind: 'CreateDatabase' }
  | { readonly kind: 'OpenDatabase' }
  | { readonly kind: 'InstallExtension'; readonly extension: ExtensionInstall }
  /** No write of ours: the answer carries the child, Metacontroller writes it. */
  | { readonly kind: 'PublishExternalSecret' }
  // After a human's word:
  | { readonly kind: 'ForgetDatabase' }
  | MoveToInstance;

export interface MoveToInstance {
  readonly kind: 'MoveToInstance';
  readonly fromInstanceUid: string;
}

/** Going down: */
export type DescentStep =
  | { readonly kind: 'MarkRetained' }
  | { readonly kind: 'ReopenRetained' }
  | ReturnMembership
  /** No write of ours: the answer leaves the child out, Metacontroller deletes it. */
  | { readonly kind: 'WithdrawExternalSecret' }
  | { readonly kind: 'CloseDatabase' }
  | { readonly kind: 'TombstoneDatabase' }
  | { readonly kind: 'DropDatabase' }
  | { readonly kind: 'DropRole' }
  | { readonly kind: 'DeleteCredential' }
  | { readonly kind: 'ReleaseNames' }
  | MoveToInstance;

export type InstanceStep =
  | { readonly kind: 'MigrateRegistry' }
  | { readonly kind: 'RegisterInstance' }
  | { readonly kind: 'AcceptServer'; readonly from: string };
