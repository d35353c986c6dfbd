import type { PeerGate } from '../back-pressure/peer-gate.ts';
import type { RegistryWrites, TenantWrites } from '../reconcile/ports.ts';

/** The same writes, each of which waits for the server at its gate. */
export function gatedRegistry(gate: PeerGate, writes: RegistryWrites): RegistryWrites {
  return {
    migrate: () => gate.pass(() => writes.migrate(), 'write'),
    registerInstance: () => gate.pass(() => writes.registerInstance(), 'write'),
    acceptServer: (from) => gate.pass(() => writes.acceptServer(from), 'write'),
    releaseInstance: () => gate.pass(() => writes.releaseInstance(), 'write'),
  };
}

/** The same steps, each of which waits for the server at its gate. */
export function gatedTenants(gate: PeerGate, writes: TenantWrites): TenantWrites {
  const pass = <T>(write: () => Promise<T>) => gate.pass(write, 'write');
  return {
    claim: (tenant, owner) => pass(() => writes.claim(tenant, owner)),
    createRole: (tenant, password, limit) => pass(() => writes.createRole(tenant, password, limit)),
    repairRole: (tenant, repair) => pass(() => writes.repairRole(tenant, repair)),
    returnMembership: (tenant) => pass(() => writes.returnMembership(tenant)),
    setPassword: (tenant, password) => pass(() => writes.setPassword(tenant, password)),
    createDatabase: (tenant) => gate.pass(() => writes.createDatabase(tenant), 'outlived'),
    openDatabase: (tenant) => pass(() => writes.openDatabase(tenant)),
    installExtension: (tenant, password, extension) =>
      pass(() => writes.installExtension(tenant, password, extension)),
    forgetDatabase: (tenant) => pass(() => writes.forgetDatabase(tenant)),
    moveToInstance: (tenant, from) => pass(() => writes.moveToInstance(tenant, from)),
    retain: (tenant) => pass(() => writes.retain(tenant)),
    close: (tenant) => pass(() => writes.close(tenant)),
    reopenRetained: (tenant) => pass(() => writes.reopenRetained(tenant)),
    tombstone: (tenant) => pass(() => writes.tombstone(tenant)),
    dropDatabase: (tenant) => gate.pass(() => writes.dropDatabase(tenant), 'outlived'),
    dropRole: (tenant) => pass(() => writes.dropRole(tenant)),
    release: (tenant) => pass(() => writes.release(tenant)),
  };
}
