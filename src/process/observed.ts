import type { Logger } from 'pino';

import { measuredCredentials } from '../metrics/measured-credentials.ts';
import { measuredKubernetes } from '../metrics/measured-kubernetes.ts';
import { measuredServers } from '../metrics/measured-servers.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { ReachabilityLog } from '../log/reachability-log.ts';
import type { Context } from '../reconcile/context.ts';

type Ports = Pick<Context, 'kubernetes' | 'servers' | 'credentials'>;

type Told = Pick<Metrics, 'kubernetesRead' | 'openBaoCalled' | 'postgresCalled'>;

/** The same ports: metrics are told of each call, the log of a system that goes or comes back. */
export function observed(
  { kubernetes, servers, credentials }: Ports,
  metrics: Told,
  logger: Logger,
  now: () => number = () => performance.now(),
): Ports {
  const reachability = new ReachabilityLog(logger, now);
  return {
    kubernetes: measuredKubernetes(kubernetes, (call) => {
      metrics.kubernetesRead(call);
      reachability.called('Kubernetes', { backend: 'Kubernetes' }, call);
    }),
    credentials: measuredCredentials(credentials, (call) => {
      metrics.openBaoCalled(call);
      reachability.called('OpenBao', { backend: 'OpenBao' }, call);
    }),
    servers: measuredServers(servers, {
      called: ({ instanceUid, instanceName }, call) => {
        metrics.postgresCalled(call);
        reachability.called(instanceUid, { backend: 'PostgreSQL', instance: instanceName }, call);
      },
      forgot: (instanceUid) => reachability.forget(instanceUid),
    }),
  };
}
