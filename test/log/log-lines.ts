/** One kind of line in the operator's log. */
export interface LogLineKind {
  /** `msg`. */
  readonly phrase: string;
  readonly levels: readonly ('info' | 'warn' | 'error' | 'fatal')[];
  /** Beside `level`, `time` and `msg`; not every line has all of them. */
  readonly fields: readonly string[];
  /** When it is written, in a sentence for the docs. */
  readonly when: string;
}

const about = ['subject', 'uid', 'instance'];

/** Every kind of line that the operator writes; docs/operations.md has a row for each. */
export const logLineKinds: readonly LogLineKind[] = [
  {
    phrase: 'starting',
    levels: ['info', 'warn'],
    fields: [
      ...[
        'version',
        'node',
        'installation',
        'operatorNamespace',
        'logLevel',
        'hook',
        'kubernetes',
        'openbao',
      ],
      ...['secretStore', 'postgresCa', 'seconds', 'warnings'],
    ],
    when: 'Once, with the configuration in force. A warning when `warnings` names something that is open: no TLS, no token, plain HTTP.',
  },
  {
    phrase: 'listening',
    levels: ['info'],
    fields: ['url', 'metricsUrl', 'installation'],
    when: 'Once, when both ports are open.',
  },
  {
    phrase: 'cannot start',
    levels: ['fatal'],
    fields: ['err'],
    when: 'A port cannot be had, or a part cannot be made. The process ends with code 1.',
  },
  {
    phrase: 'step taken',
    levels: ['info', 'warn'],
    fields: [...about, 'phase', 'step', 'outcome', 'detail', 'milliseconds', 'requestId'],
    when: 'One for each write to PostgreSQL or OpenBao. A warning unless `outcome` is `ok`, `Busy` or `StaleDecision` (another replica was faster).',
  },
  {
    phrase: 'let go unfinished',
    levels: ['warn'],
    fields: [...about, 'detail', 'requestId'],
    when: 'An object was released although something of it stays behind; `detail` says what. Somebody should clean up.',
  },
  {
    phrase: 'backend unreachable',
    levels: ['warn'],
    fields: ['backend', 'instance', 'reason', 'detail'],
    when: 'Once, when PostgreSQL, OpenBao or Kubernetes cannot be used at all; `reason` says why. Not again before it was back.',
  },
  {
    phrase: 'backend reachable again',
    levels: ['info'],
    fields: ['backend', 'instance', 'milliseconds'],
    when: 'Once, at the first answer after that.',
  },
  {
    phrase: 'malformed hook request',
    levels: ['warn'],
    fields: ['route', 'fields', 'requestId'],
    when: 'A body that is not a request of this hook; `fields` are paths, never values. At most one a second.',
  },
  {
    phrase: 'a TLS handshake failed',
    levels: ['warn'],
    fields: ['code'],
    when: 'A client, Metacontroller perhaps, does not accept the certificate, or speaks no TLS. At most one a minute.',
  },
  {
    phrase: 'the certificate of the hook has expired or soon will',
    levels: ['warn'],
    fields: ['expires'],
    when: 'At the start, when it ends within 14 days or has ended. Renew it; the process reads it again by itself.',
  },
  {
    phrase: 'changed files are in use now',
    levels: ['info'],
    fields: ['what'],
    when: 'The certificate or the tokens of the hook were replaced.',
  },
  {
    phrase: 'changed files cannot be used; what was there before stays in use',
    levels: ['warn'],
    fields: ['what', 'fault'],
    when: 'They were replaced by something that is not right, or are gone. Mend them before the process is started again.',
  },
  {
    phrase: 'bug',
    levels: ['error'],
    fields: ['err', 'reason', 'route', 'requestId'],
    when: 'A request ended with 500 for a reason that nobody foresaw. Please report it.',
  },
  {
    phrase: 'stopping',
    levels: ['info'],
    fields: ['signal'],
    when: 'Once, at SIGTERM or SIGINT.',
  },
  {
    phrase: 'could not stop in order',
    levels: ['error'],
    fields: ['err'],
    when: 'The end failed. The process ends with code 1.',
  },
  {
    phrase: 'could not stop in time',
    levels: ['error'],
    fields: [],
    when: 'The end took too long. The process ends with code 1.',
  },
  {
    phrase: 'unexpected error',
    levels: ['fatal'],
    fields: ['err'],
    when: 'The process ends with code 1 and is started again. Please report it.',
  },
];
