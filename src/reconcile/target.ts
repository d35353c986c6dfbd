import type { PostgreSQLInstance } from '../api/instance.ts';
import { Trouble } from '../errors.ts';
import type { Secret } from '../secret.ts';
import type { Context } from './context.ts';
import type { Server, ServerTarget } from './ports.ts';

/**
 * The server of an Instance, reached as its management Secret says. Throws `ManagementSecretMissing` and
 * `ManagementSecretInvalid`.
 */
export async function serverOf(
  context: Context,
  instance: PostgreSQLInstance,
): Promise<{ readonly server: Server; readonly username: string }> {
  const { name, usernameKey, passwordKey } = instance.spec.managementSecretRef;
  const data = await context.kubernetes.managementSecret(name);
  if (data === undefined) {
    throw new Trouble(
      'ManagementSecretMissing',
      `Secret "${name}" does not exist in the namespace of the operator; create it there, or put spec.managementSecretRef right`,
    );
  }
  const username = loginPart(name, usernameKey, data[usernameKey]).reveal();
  const password = loginPart(name, passwordKey, data[passwordKey]);
  return { server: context.servers.of(targetOf(context, instance, username, password)), username };
}

/** Printable ASCII only: SASLprep changes nothing in it, and a newline at the end is nearly always a mistake. */
function loginPart(secretName: string, key: string, value: Secret | undefined): Secret {
  if (value === undefined)
    throw new Trouble(
      'ManagementSecretMissing',
      `Secret "${secretName}" in the namespace of the operator has no key "${key}"; add it, or name its key in spec.managementSecretRef`,
    );
  const text = value.reveal();
  if (text === '') throw invalid(secretName, key, 'is empty; put the login in');
  if (text.endsWith('\n')) {
    throw invalid(secretName, key, 'ends in a newline, which is no part of a login; remove it');
  }
  if (!/^[\x20-\x7e]{1,1024}$/.test(text)) {
    throw invalid(secretName, key, 'must be 1 to 1024 printable ASCII characters; set such a login');
  }
  return value;
}

const invalid = (secretName: string, key: string, fault: string): Trouble =>
  new Trouble(
    'ManagementSecretInvalid',
    `key "${key}" of Secret "${secretName}" in the namespace of the operator ${fault}`,
  );

function targetOf(
  context: Context,
  { metadata, spec }: PostgreSQLInstance,
  username: string,
  password: Secret,
): ServerTarget {
  return {
    instanceUid: metadata.uid,
    instanceName: metadata.name,
    installation: context.settings.installation,
    host: spec.host,
    hostAddress: spec.hostAddress,
    port: spec.port,
    managementDatabase: spec.managementDatabase,
    tls: { mode: spec.tls.mode, ca: certificatesOf(context, spec) },
    username,
    password,
    adminRole: spec.adminRole,
    maxConnections: spec.maxConnections,
  };
}

/** The CA bundle that the server is verified with, by us and by consumers; undefined where the mode verifies nothing. */
export const certificatesOf = (
  { settings }: Context,
  { tls }: PostgreSQLInstance['spec'],
): string | undefined =>
  tls.mode === 'verify-ca' || tls.mode === 'verify-full' ? (tls.caBundle ?? settings.defaultCa) : undefined;
