import { Trouble } from '../errors.ts';
import { certificateBlocks, parsedCertificate } from '../pem.ts';

const where = 'the CA bundle (spec.tls.caBundle, else the one that is mounted into the operator)';

/**
 * Returns the certificates of a bundle, one below the other, when it holds at least one and all of them parse; throws
 * `InvalidCABundle` otherwise. Node ignores what it cannot read in a `ca` string (blocks without a line break between
 * them, too), and then every verification fails as "self-signed".
 */
export function checkedCaBundle(bundle: string): string {
  const blocks = certificateBlocks(bundle);
  if (blocks.length === 0) {
    throw new Trouble('InvalidCABundle', `${where} holds no PEM certificate; put those of the CA there`);
  }
  blocks.forEach((pem, index) => {
    if (parsedCertificate(pem) === undefined) {
      throw new Trouble(
        'InvalidCABundle',
        `certificate ${index + 1} in ${where} cannot be read; put it there whole, from its BEGIN line to its END line`,
      );
    }
  });
  return blocks.join('\n');
}
