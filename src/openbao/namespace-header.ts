/** What every request but `sys/health` carries where OpenBao is used in a namespace of its own. */
export const namespaceHeader = (namespace: string | undefined): Readonly<Record<string, string>> =>
  namespace === undefined ? {} : { 'X-Vault-Namespace': namespace };
