import type { ExternalSecret } from './external-secret.ts';
import { type KvProvider, NoSecretError } from './kv-provider.ts';

/**
 * Everything that the spec names, later entries winning and `data` last. With deletionPolicy Retain a missing record is
 * an error; with the others it adds nothing. @throws NoSecretError, or Error with the provider's words
 */
export async function fetchData(
  { spec }: ExternalSecret,
  provider: KvProvider,
): Promise<Map<string, string>> {
  const all = new Map<string, string>();
  const tolerant = spec.target.deletionPolicy !== 'Retain';
  for (const { extract } of spec.dataFrom) {
    const part = await orNothing(tolerant, () => provider.getMap(extract));
    for (const [key, value] of part ?? []) all.set(key, value);
  }
  for (const { secretKey, remoteRef } of spec.data) {
    const value = await orNothing(tolerant, () => provider.getValue(remoteRef));
    if (value !== undefined) all.set(secretKey, value);
  }
  return all;
}

async function orNothing<T>(tolerant: boolean, read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (tolerant && error instanceof NoSecretError) return undefined;
    throw error;
  }
}
