import { Trouble } from '../errors.ts';
import { readBundle } from '../pem.ts';

const where = 'the CA bundle (spec.tls.caBundle, else the one that is mounted into the operator)';

/**
 * Returns the certificates of a bundle, one below the other, when it holds at least one and all of them parse; throws
 * `InvalidCABundle` otherwise. Node ignores what it cannot read in a `ca` string (blocks without a line break between
 * them, too), and then every verification fails as "self-signed".
 */
export function checkedCaBundle(bundle: string): string {
  const read = readBundle(bundle);
  switch (read.kind) {
    case 'whole':
      return read.blocks.join('\n');
    case 'empty':
      throw new Trouble('InvalidCABundle', `${where} holds no PEM certificate; put those of the CA there`);
    case 'unreadable':
      throw new Trouble(
        'InvalidCABundle',
        `certificate ${read.number} in ${where} cannot be read; put it there whole, from its BEGIN line to its END line`,
      );
  }
}
