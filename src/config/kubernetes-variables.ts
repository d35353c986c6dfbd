import { certificates, namedFile, token, type ReadFile } from './file-shapes.ts';
import { url } from './urls.ts';
import { variableDocs } from './variable-docs.ts';

export const kubernetesVariables = (readFile: ReadFile) => ({
  KUBERNETES_URL: url().default('https://kubernetes.default.svc').register(variableDocs, {
    meaning: 'Where the Kubernetes API is. http is for a trial, or for `kubectl proxy` on the same machine.',
  }),
  KUBERNETES_CA_FILE: namedFile(readFile, certificates).register(variableDocs, {
    meaning: 'CA of the Kubernetes API. Read again every minute.',
    requiredWhen: 'when `KUBERNETES_URL` begins with https',
  }),
  KUBERNETES_TOKEN_FILE: namedFile(readFile, token).register(variableDocs, {
    meaning: "Token of the operator's service account, as the kubelet mounts it. Read again every minute.",
    requiredWhen: 'when `KUBERNETES_URL` begins with https',
  }),
});
