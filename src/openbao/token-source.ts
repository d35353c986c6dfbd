import type { Secret } from '../secret.ts';

/** Where the OpenBao client gets its token from. The first two methods throw `Trouble` when there is none to be had. */
export interface TokenSource {
  /** The token in use; remembered, so that a call costs nothing. */
  current(): Promise<Secret>;
  /** Called when OpenBao refused `rejected` (403): looks for a newer one. The same one means that there is none. */
  renew(rejected: Secret): Promise<Secret>;
  /** Called when OpenBao took `token`; `renewed`: in a call for which it had refused the one before. */
  worked(token: Secret, renewed: boolean): void;
  /** Gives back what the source itself asked OpenBao for, as well as can be done within a second. */
  close(): Promise<void>;
}
