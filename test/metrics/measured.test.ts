import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Trouble } from '../../src/errors.ts';
import type { Call } from '../../src/metrics/call.ts';
import { measuredCredentials } from '../../src/metrics/measured-credentials.ts';
import { measuredKubernetes } from '../../src/metrics/measured-kubernetes.ts';
import { measuredServers } from '../../src/metrics/measured-servers.ts';
import type { CredentialStore, KubernetesReader, Server, ServerTarget } from '../../src/reconcile/ports.ts';

type Method = (...values: unknown[]) => unknown;

/** A port of any shape: each method answers with its own name and what it was given. */
const anyPort = (prefix = ''): unknown =>
  new Proxy(
    {},
    {
      get: (_target, key) => {
        const name = `${prefix}${String(key)}`;
        if (name === 'observe' || name === 'registry' || name === 'tenants') return anyPort(`${name}.`);
        return (...values: unknown[]) => (name === 'url' ? name : Promise.resolve([name, ...values]));
      },
    },
  );

const given = ['first', 'second', 'third'];

/** Calls every method of a port with the same values. */
async function callAll(port: object): Promise<unknown[]> {
  const methods = Object.entries(port) as [string, Method][];
  return Promise.all(methods.map(async ([name, method]) => [name, await method(...given)]));
}

const namesIn = (answers: unknown[]): string[] => answers.map((answer) => (answer as string[])[0]!);

/** As many of the values as the method takes. */
function assertHandedOn(answers: unknown[], prefix = ''): void {
  for (const [name, answer] of answers as [string, unknown[]][]) {
    const [reached, ...values] = answer;
    assert.equal(reached, `${prefix}${name}`);
    assert.deepEqual(values, given.slice(0, values.length), name);
  }
}

test('every call of OpenBao goes through as it is, and is told of by its operation', async () => {
  const calls: Call[] = [];
  const store = measuredCredentials(anyPort() as CredentialStore, (call) => calls.push(call));
  const methods = Object.entries(store).filter(([name]) => name !== 'url');
  assertHandedOn(await callAll(Object.fromEntries(methods)));
  assert.equal(store.url({} as never), 'url');
  assert.deepEqual(
    calls.map(({ operation, outcome }) => `${operation} ${outcome}`),
    ['read ok', 'write ok', 'delete ok', 'prove_gone ok'],
  );
});

test('every read of Kubernetes goes through as it is, and is told of by its kind', async () => {
  const calls: Call[] = [];
  const reader = measuredKubernetes(anyPort() as KubernetesReader, (call) => calls.push(call));
  assertHandedOn(await callAll(reader));
  assert.equal(calls.length, Object.keys(reader).length);
  assert.deepEqual(new Set(calls.map(({ operation }) => operation)).size, 6);
});

test('every call of PostgreSQL goes through as it is, and is told of with the Instance', async () => {
  const server = anyPort() as Server;
  const told: string[] = [];
  const forgotten: string[] = [];
  const servers = measuredServers(
    { of: () => server, forget: (uid) => forgotten.push(`servers ${uid}`) },
    {
      called: ({ instanceName }, { operation }) => told.push(`${instanceName} ${operation}`),
      forgot: (uid) => forgotten.push(`observer ${uid}`),
    },
  );
  const target = { instanceUid: 'uid', instanceName: 'main' } as ServerTarget;
  const measured = servers.of(target);
  for (const part of ['observe', 'registry', 'tenants'] as const) {
    const answers = await callAll(measured[part]);
    assertHandedOn(answers, `${part}.`);
    assert.equal(new Set(namesIn(answers)).size, Object.keys(measured[part]).length);
  }
  assert.equal(told.filter((line) => line === 'main change_tenant').length, 17);
  assert.ok(told.includes('main check_login'));
  assert.equal(servers.of(target), measured, 'what is remembered about a server stays with it');
  servers.forget('uid');
  assert.deepEqual(forgotten, ['servers uid', 'observer uid']);
});

test('a call that fails is told of with its reason and thrown on as it is', async () => {
  const failures: [error: Error, outcome: string, message: string][] = [
    [new Trouble('OpenBaoSealed', 'cannot read: sealed'), 'OpenBaoSealed', 'cannot read: sealed'],
    [new Error('canary'), 'Bug', ''],
  ];
  for (const [error, outcome, message] of failures) {
    const calls: Call[] = [];
    const failing = { read: () => Promise.reject(error) } as unknown as CredentialStore;
    const store = measuredCredentials(failing, (call) => calls.push(call));
    await assert.rejects(store.read({} as never), (thrown) => thrown === error);
    const [call, ...more] = calls;
    assert.deepEqual([call?.outcome, call?.message, more], [outcome, message, []]);
    assert.ok(call !== undefined && call.seconds >= 0 && call.seconds < 5);
  }
});
