/** Where the operator lives, the name of its installation, and the name in the certificate of PostgreSQL. */
export const operatorNamespace = 'postgresql-tenant-operator';
/** Its release, and with that its ServiceAccount and all other objects. */
export const operatorName = 'postgresql-tenant-operator';
export const installation = 'demo';
export const pgHost = 'pg-main.example.internal';
