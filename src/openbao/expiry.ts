import { z } from 'zod';

import { Trouble } from '../errors.ts';
import type { Answer } from '../http-client/answer.ts';
import type { Client } from './client.ts';
import { isAbsent, troubleOf } from './errors.ts';

/** Both the mount's configuration and a key's metadata have it: a Go duration, e.g. `0s` or `720h0m0s`. */
const settingShape = z.object({ data: z.object({ delete_version_after: z.string() }) });

interface Place {
  readonly mount: string;
  /** Path of the key's metadata. */
  readonly metadata: string;
}

/**
 * Throws `OpenBaoExpiresRecords` when OpenBao would delete a version that is written now. A token that may not ask goes
 * on: the answer to the write tells it too, only too late. Asked before each write, and a write is rare.
 */
export const assertKept = async (
  client: Client,
  { mount, metadata }: Place,
  doing: string,
): Promise<void> => {
  // First, because it logs in again: a token that has ended may ask nothing, and that would go for a policy's silence.
  const ofKey = keySettingOf(await client.get(metadata), doing);
  const ofMount = settingOf(await client.ask(`${mount}/config`), doing);
  // A negative value switches it off in the whole mount; otherwise a key without a value has the mount's.
  if (ofMount?.startsWith('-') === true) return;
  if (isSet(ofMount)) throw wouldExpire(doing, 'the mount', `${mount}/config`);
  if (isSet(ofKey)) throw wouldExpire(doing, 'this record', metadata);
};

const settingOf = (answer: Answer, doing: string): string | undefined => {
  if (answer.status === 403) return undefined;
  if (answer.status !== 200) throw troubleOf(answer, doing, 'read');
  const setting = settingShape.safeParse(answer.body).data?.data.delete_version_after;
  if (setting !== undefined) return setting;
  throw new Trouble(
    'OpenBaoMountInvalid',
    `${doing}: the mount is not KV version 2; an administrator mounts one, or corrects OPENBAO_MOUNT`,
  );
};

const keySettingOf = (answer: Answer, doing: string): string | undefined =>
  isAbsent(answer) ? undefined : settingOf(answer, doing);

const isSet = (duration: string | undefined): boolean =>
  duration !== undefined && !duration.startsWith('-') && /[1-9]/.test(duration);

const wouldExpire = (doing: string, what: string, path: string): Trouble =>
  new Trouble(
    'OpenBaoExpiresRecords',
    `${doing}: OpenBao would delete it by itself; set delete_version_after of ${what} to 0 (at ${path})`,
  );
