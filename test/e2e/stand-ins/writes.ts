import type { UserAuditEntry } from '../../control-plane/audit-log.ts';
import type { ControlPlane } from '../../control-plane/control-plane.ts';
import { withoutRepeats } from './recording.ts';

/** Whose writes are looked at, and where. */
interface Writer {
  readonly plane: ControlPlane;
  readonly user: string;
}

/** What was written so far of the object of this name and of those below it, in order; Events apart. */
export function writesAbout(
  { plane, user }: Writer,
  name: string,
  counts: (entry: UserAuditEntry) => boolean = () => true,
): string[] {
  const told = plane
    .audit()
    .filter((entry) => entry.user === user && entry.resource !== 'events' && counts(entry))
    .filter((entry) => entry.name === name || entry.name?.startsWith(`${name}.`))
    .map(({ verb, resource, subresource, code }) =>
      [verb, subresource === '' ? resource : `${resource}/${subresource}`, code].join(' '),
    );
  return withoutRepeats(told);
}
