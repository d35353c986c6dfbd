import { mustRun, runProgram } from '../control-plane/run-program.ts';
import { namespaces } from '../world/kubernetes/resources.ts';
import { waitFor } from '../world/servers/wait-for.ts';
import type { Stage } from './stage.ts';

/**
 * Deletes a namespace, and does some work while its Tenants are still there and nobody has asked for their deletion:
 * which kinds the namespace controller takes first is not up to us, so that Tenants may be the last.
 */
export async function beforeItsTenantsGo(
  stage: Stage,
  namespace: string,
  work: () => Promise<unknown>,
): Promise<void> {
  const { kubeconfig } = stage.world;
  const release = kubeconfig === undefined ? holdContent(stage) : await refuseDeletion(kubeconfig, namespace);
  try {
    await stage.kube.delete(namespaces, namespace);
    await work();
  } finally {
    await release();
  }
}

/** The stand-in does not go on from kind to kind. */
function holdContent({ world: { api } }: Stage): () => Promise<void> {
  const usual = api.faults.contentPauseMs;
  api.faults.contentPauseMs = 60_000;
  return () => {
    api.faults.contentPauseMs = usual;
    return Promise.resolve();
  };
}

/** The API server refuses it by a policy, and the namespace controller tries again and again. */
async function refuseDeletion(kubeconfig: string, namespace: string): Promise<() => Promise<void>> {
  const env = { KUBECONFIG: kubeconfig };
  const input = JSON.stringify(policyFor(namespace));
  await mustRun('kubectl', ['apply', '-f', '-'], { env, input });
  const trial = ['delete', 'postgresqltenants', '--all', '-n', namespace, '--dry-run=server'];
  await waitFor('the API server to refuse the deletion', async () => {
    const { code, stderr } = await runProgram('kubectl', trial, { env });
    return code !== 0 && stderr.includes(name);
  });
  return async () => {
    await mustRun('kubectl', ['delete', '-f', '-'], { env, input });
    await waitFor(
      'the API server to allow it again',
      async () => (await runProgram('kubectl', trial, { env })).code === 0,
    );
  };
}

const name = 'tenants-last.example.com';

const policyFor = (namespace: string) => ({
  apiVersion: 'v1',
  kind: 'List',
  items: [
    {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingAdmissionPolicy',
      metadata: { name },
      spec: {
        matchConstraints: {
          resourceRules: [
            {
              apiGroups: ['pgtenancy.io'],
              apiVersions: ['*'],
              operations: ['DELETE'],
              resources: ['postgresqltenants'],
            },
          ],
        },
        validations: [{ expression: 'false', message: 'Tenants are the last to go' }],
      },
    },
    {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingAdmissionPolicyBinding',
      metadata: { name },
      spec: {
        policyName: name,
        validationActions: ['Deny'],
        matchResources: { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } } },
      },
    },
  ],
});
