import { choice, kubernetesName, listenAddress } from './value-shapes.ts';
import { variableDocs } from './variable-docs.ts';

export const generalVariables = () => ({
  INSTALLATION: kubernetesName().register(variableDocs, {
    meaning:
      'Name of this installation. It tells this operator from others that use the same PostgreSQL servers or the same OpenBao, and is the first segment of the path of every credential. It can never be changed.',
  }),
  OPERATOR_NAMESPACE: kubernetesName().register(variableDocs, {
    meaning:
      'Namespace that the operator runs in. The Secrets with the management logins (`spec.managementSecretRef` of an Instance) are read from here.',
  }),
  LOG_LEVEL: choice('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent')
    .default('info')
    .register(variableDocs, { meaning: 'The least severe level that is logged.' }),
  HOST: listenAddress().default('0.0.0.0').register(variableDocs, {
    meaning: 'Address to listen on, for the hooks and for the metrics. `::` takes IPv6, and IPv4 as well.',
  }),
});
