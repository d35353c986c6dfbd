import type { Resource } from './client.ts';

export const namespaces: Resource = { group: '', version: 'v1', plural: 'namespaces' };
export const secrets: Resource = { group: '', version: 'v1', plural: 'secrets' };
export const serviceAccounts: Resource = { group: '', version: 'v1', plural: 'serviceaccounts' };
export const events: Resource = { group: '', version: 'v1', plural: 'events' };
export const crds: Resource = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  plural: 'customresourcedefinitions',
};
export const instances: Resource = {
  group: 'pgtenancy.io',
  version: 'v1alpha1',
  plural: 'postgresqlinstances',
};
export const tenants: Resource = { group: 'pgtenancy.io', version: 'v1alpha1', plural: 'postgresqltenants' };
export const externalSecrets: Resource = {
  group: 'external-secrets.io',
  version: 'v1',
  plural: 'externalsecrets',
};
export const clusterSecretStores: Resource = {
  group: 'external-secrets.io',
  version: 'v1',
  plural: 'clustersecretstores',
};
export const compositeControllers: Resource = {
  group: 'metacontroller.k8s.io',
  version: 'v1alpha1',
  plural: 'compositecontrollers',
};
