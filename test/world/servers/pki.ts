import { z } from 'zod';

import { callOpenBao } from './openbao-api.ts';
import type { OpenBao } from './openbao.ts';

export interface Certificate {
  /** PEM, with its private key and the CA that signed it. */
  readonly cert: string;
  readonly key: string;
  readonly ca: string;
}

export interface CertificateRequest {
  readonly commonName: string;
  readonly dnsNames: readonly string[];
  readonly ipAddresses: readonly string[];
  /** A duration as OpenBao writes it, `720h` when absent. */
  readonly ttl?: string;
}

/** Mounts the PKI engine at `pki/` and makes a root CA with an EC key and a role that signs any server name. */
export async function setUpPki(
  bao: OpenBao,
  { commonName }: { commonName: string },
): Promise<{ ca: string }> {
  const mount = { type: 'pki', config: { max_lease_ttl: '87600h' } };
  await callOpenBao(bao.root, { method: 'POST', path: 'sys/mounts/pki', body: mount });
  const root = { common_name: commonName, key_type: 'ec', key_bits: 256, ttl: '87600h' };
  const made = await callOpenBao(bao.root, {
    method: 'POST',
    path: 'pki/root/generate/internal',
    body: root,
  });
  const role = {
    ...{ key_type: 'ec', key_bits: 256, max_ttl: '8760h' },
    ...{
      allow_any_name: true,
      allow_ip_sans: true,
      enforce_hostnames: false,
      server_flag: true,
      client_flag: false,
    },
  };
  await callOpenBao(bao.root, { method: 'POST', path: 'pki/roles/server', body: role });
  return { ca: z.object({ data: z.object({ certificate: z.string() }) }).parse(made).data.certificate };
}

const issued = z.object({
  data: z.object({ certificate: z.string(), private_key: z.string(), issuing_ca: z.string() }),
});

/** A new key and a server certificate with exactly these names: the common name is no SAN unless it is listed. */
export async function issueCertificate(bao: OpenBao, request: CertificateRequest): Promise<Certificate> {
  const body = {
    common_name: request.commonName,
    exclude_cn_from_sans: true,
    alt_names: request.dnsNames.join(','),
    ip_sans: request.ipAddresses.join(','),
    ttl: request.ttl ?? '720h',
  };
  const { data } = issued.parse(
    await callOpenBao(bao.root, { method: 'POST', path: 'pki/issue/server', body }),
  );
  return { cert: data.certificate, key: data.private_key, ca: data.issuing_ca };
}
