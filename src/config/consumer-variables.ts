import { certificates, namedFile, type ReadFile } from './file-shapes.ts';
import { choice, kubernetesObjectName } from './value-shapes.ts';
import { variableDocs } from './variable-docs.ts';

export const consumerVariables = (readFile: ReadFile) => ({
  SECRET_STORE_KIND: choice('ClusterSecretStore', 'SecretStore')
    .default('ClusterSecretStore')
    .register(variableDocs, {
      meaning:
        'Kind of the store of External Secrets that reads the credentials from OpenBao: it appears in every ExternalSecret that the operator makes.',
    }),
  SECRET_STORE_NAME: kubernetesObjectName().register(variableDocs, { meaning: 'Name of that store.' }),
  POSTGRES_CA_FILE: namedFile(readFile, certificates).register(variableDocs, {
    meaning:
      'CA of the PostgreSQL servers, for Instances without `spec.tls.caBundle`. Read at the start only. Without both, the public CAs that Node.js trusts count.',
  }),
});
