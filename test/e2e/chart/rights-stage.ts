import { chartFolder } from '../../chart/chart.ts';
import type { ApplyStrategy } from '../../world/metacontroller/server-side-apply.ts';
import type { RunningPod } from '../../control-plane/pod-runner/run-pod.ts';
import { waitFor } from '../../world/servers/wait-for.ts';
import { release } from '../../control-plane/operator-release.ts';
import type { RunningMetacontroller } from '../../control-plane/metacontroller-process.ts';
import { runMetacontroller } from '../../control-plane/run-metacontroller.ts';
import { type Cluster, metacontrollerAccess, startCluster, valuesFor } from './cluster.ts';
import { runOperator } from './operator-pod.ts';
import type { Act } from './product-run.ts';
import { everyRequest, type JudgedRequest, judgedRequests } from './rights-log.ts';

/**
 * The API server lists as those before 1.34 do, where a watch does not bring the list with it, and judges owner references
 * as OpenShift does.
 */
const flags = [
  '--feature-gates=WatchList=false',
  '--enable-admission-plugins=OwnerReferencesPermissionEnforcement',
];

/** As `namespace:name`. */
export const operatorAccount = `${release.namespace}:${release.name}`;
export const metacontrollerAccount = 'metacontroller:metacontroller';

/** A release that runs, and everything that ServiceAccounts ask the API server for. */
export interface RightsStage {
  readonly cluster: Cluster;
  readonly pod: RunningPod;
  readonly metacontroller: RunningMetacontroller;
  /** Runs Metacontroller with another strategy from now on. */
  apply(strategy: ApplyStrategy): Promise<void>;
  /** Requests of ServiceAccounts, those of the first `skipped` bytes left out. */
  requests(skipped?: number): readonly JudgedRequest[];
  auditBytes(): number;
}

export async function startRightsStage(): Promise<RightsStage> {
  const cluster = await startCluster({ flags, auditPolicy: everyRequest });
  try {
    return await onto(cluster);
  } catch (error) {
    await cluster.close();
    throw error;
  }
}

async function onto(cluster: Cluster): Promise<RightsStage> {
  const { plane } = cluster;
  const args = ['install', release.name, chartFolder, '--namespace', release.namespace];
  await cluster.helm.ok(args, valuesFor(cluster));
  const pod = await runOperator(cluster);
  cluster.atEnd(() => pod.close());
  const start = async (strategy: ApplyStrategy): Promise<RunningMetacontroller> =>
    runMetacontroller(plane.folder, await metacontrollerAccess(cluster), strategy);
  let metacontroller = await start('dynamic-apply');
  cluster.atEnd(() => metacontroller.stop());
  return {
    ...{ cluster, pod },
    get metacontroller() {
      return metacontroller;
    },
    apply: async (strategy) => {
      await metacontroller.stop();
      metacontroller = await start(strategy);
    },
    requests: (skipped) => judgedRequests(plane.api.auditFile, skipped).requests,
    auditBytes: () => judgedRequests(plane.api.auditFile).bytes,
  };
}

/** @throws Error when it is not done within 60 s */
export async function finish(act: Act): Promise<void> {
  await act.begin();
  await untilDone(act);
}

export const untilDone = (act: Pick<Act, 'what' | 'isDone'>): Promise<boolean> =>
  waitFor(act.what, () => act.isDone(), { timeoutMs: 60_000, everyMs: 50 });
