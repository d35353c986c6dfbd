import type { Logger } from 'pino';

import type { Config } from '../config/config.ts';

/** One line that says what is in force: no secret, no path of a file, and no PEM. A warning when something is open. */
export function logStart(logger: Logger, config: Config, version: string): void {
  const warnings = warningsOf(config);
  logger[warnings.length === 0 ? 'info' : 'warn'](
    { version, node: process.version, ...inForce(config), warnings },
    'starting',
  );
}

const inForce = (config: Config) => ({
  installation: config.installation,
  operatorNamespace: config.operatorNamespace,
  logLevel: config.logLevel,
  hook: {
    tls: config.hook.tls === undefined ? 'off' : 'on',
    authentication: config.hook.tokens === undefined ? 'none' : 'token',
  },
  kubernetes: { url: config.kubernetes.url },
  openbao: {
    address: config.openbao.address,
    externalAddress: config.openbao.externalAddress,
    mount: config.openbao.mount,
    namespace: config.openbao.namespace,
    authentication: config.openbao.auth.kind,
  },
  secretStore: config.secretStore,
  postgresCa: config.postgresCa === undefined ? 'none' : 'given',
  seconds: {
    deadline: config.deadlineMs / 1000,
    drain: config.drainMs / 1000,
    checkIntervalMin: config.checkIntervalSeconds.min,
    checkIntervalMax: config.checkIntervalSeconds.max,
    resync: config.resyncSeconds,
  },
});

function warningsOf({ hook, kubernetes, openbao }: Config): readonly string[] {
  const open: readonly (readonly [boolean, string])[] = [
    [hook.tls === undefined, 'HOOK_TLS=off: the hooks are served in plain HTTP'],
    [hook.tokens === undefined, 'HOOK_AUTHENTICATION=none: whoever reaches the port may call the hooks'],
    [isPlain(kubernetes.url), 'KUBERNETES_URL is plain HTTP: management Secrets can be read on the way'],
    [isPlain(openbao.address), 'OPENBAO_ADDRESS is plain HTTP: credentials can be read on the way'],
  ];
  return open.flatMap(([holds, warning]) => (holds ? [warning] : []));
}

const isPlain = (url: string): boolean => url.startsWith('http:');
