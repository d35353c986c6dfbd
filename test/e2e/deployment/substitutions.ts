/** What has to differ on one machine, in the page and in the files that it names. */
export interface Substitution {
  readonly page: string;
  readonly here: string;
  readonly why: string;
}

interface Addresses {
  /** OpenBao, the API server and the Service of the operator: origins. */
  readonly openBao: string;
  readonly kubernetes: string;
  readonly hook: string;
  readonly postgresPort: number;
  /** Files with the CA of the API server, and with the token that OpenBao would find in its Pod. */
  readonly kubernetesCaFile: string;
  readonly reviewerTokenFile: string;
}

export const substitutionsFor = (at: Addresses): readonly Substitution[] => [
  {
    page: 'https://openbao.example.com',
    here: at.openBao,
    why: 'OpenBao is on loopback',
  },
  {
    page: 'https://openbao-active.openbao:8200',
    here: at.openBao,
    why: 'OpenBao is on loopback',
  },
  {
    page: 'kubernetes_host=https://kubernetes.default.svc',
    here: [
      `kubernetes_host=${at.kubernetes} kubernetes_ca_cert=@${at.kubernetesCaFile}`,
      `token_reviewer_jwt=@${at.reviewerTokenFile} disable_local_ca_jwt=true`,
    ].join(' '),
    why: 'OpenBao is in no Pod, which would have these as files',
  },
  {
    page: '  host: pg-main.example.com\n',
    here: `  host: pg-main.example.com\n  hostAddress: 127.0.0.1\n  port: ${at.postgresPort}\n`,
    why: 'PostgreSQL is on loopback',
  },
  {
    page: 'metacontroller:\n',
    here: `metacontroller:\n  hookUrl: ${at.hook}\n`,
    why: 'the Service is on loopback',
  },
  {
    page: 'https://postgresql-tenant-operator.postgresql-tenant-operator.svc:8443',
    here: at.hook,
    why: 'the Service is on loopback',
  },
  {
    page: "'subjectAltName=DNS:postgresql-tenant-operator.postgresql-tenant-operator.svc'",
    here: "'subjectAltName=DNS:postgresql-tenant-operator.postgresql-tenant-operator.svc,IP:127.0.0.1'",
    why: 'the Service is on loopback',
  },
];

/** Replaces, and remembers in `used` what was replaced. */
export function substitute(text: string, table: readonly Substitution[], used: Set<Substitution>): string {
  return table.reduce((left, one) => {
    if (!left.includes(one.page)) return left;
    used.add(one);
    return left.replaceAll(one.page, one.here);
  }, text);
}
