import type { Secret } from '../secret.ts';

/** Where the OpenBao client gets its token from. Both methods throw `Trouble` (`OpenBaoForbidden`) when there is none. */
export interface TokenSource {
  /** The token in use; remembered, so that a call costs nothing. */
  current(): Promise<Secret>;
  /** Called when OpenBao refused `rejected` (403): looks for a newer one. The same one means that there is none. */
  renew(rejected: Secret): Promise<Secret>;
}
