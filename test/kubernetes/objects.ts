import type { StubAnswer } from '../http-stub.ts';

/** The API server's words for an object that is not there. */
export const notFound = (name: string): StubAnswer => ({
  status: 404,
  body: {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: `"${name}" not found`,
    reason: 'NotFound',
    details: { name },
    code: 404,
  },
});

const metadata = { uid: '5b2c1c35-5c1f-4d6c-9c2b-6a2f5e0c7a11', generation: 1, resourceVersion: '7' };

export const instanceObject = (name: string) => ({
  apiVersion: 'pgtenancy.io/v1alpha1',
  kind: 'PostgreSQLInstance',
  metadata: { ...metadata, name },
  spec: { host: 'db.example.com', managementSecretRef: { name: 'db-admin' } },
});

export const tenantObject = (namespace: string, name: string, instance = 'main') => ({
  apiVersion: 'pgtenancy.io/v1alpha1',
  kind: 'PostgreSQLTenant',
  metadata: { ...metadata, namespace, name },
  spec: { instanceRef: { name: instance } },
});
