import assert from 'node:assert/strict';
import { before, test } from 'node:test';

import { isServiceLink } from '../../src/config/service-links.ts';
import { variables } from '../../src/config/variables.ts';
import { faultsOf, read } from './example.ts';
import { issueFiles } from './issued-files.ts';

before(() => issueFiles());

/** As the kubelet makes them for a Service with one port named `https`. */
const linksOf = (service: string): Record<string, string> => {
  const name = service.toUpperCase().replaceAll('-', '_');
  return {
    [`${name}_SERVICE_HOST`]: '10.0.0.7',
    [`${name}_SERVICE_PORT`]: '8200',
    [`${name}_SERVICE_PORT_HTTPS`]: '8200',
    [`${name}_PORT`]: 'tcp://10.0.0.7:8200',
    [`${name}_PORT_8200_TCP`]: 'tcp://10.0.0.7:8200',
    [`${name}_PORT_8200_TCP_PROTO`]: 'tcp',
    [`${name}_PORT_8200_TCP_PORT`]: '8200',
    [`${name}_PORT_8200_TCP_ADDR`]: '10.0.0.7',
  };
};

const services = [
  'kubernetes',
  'openbao',
  'openbao-active',
  'hook',
  'hook-tls',
  'secret-store',
  'metrics',
  'postgres',
];

test('what the kubelet puts into every Pod is no fault and changes nothing', () => {
  for (const service of services) {
    assert.deepEqual(faultsOf(linksOf(service)), [], service);
    assert.deepEqual(read(linksOf(service)), read(), service);
  }
});

test('a Service named metrics does not move the port of the metrics, which can still be set', () => {
  assert.equal(read(linksOf('metrics')).metrics.port, 9090);
  assert.equal(read({ ...linksOf('metrics'), METRICS_PORT: '9191' }).metrics.port, 9191);
});

test('no name of ours can be taken by a Service, whatever it is called, except one whose links are told apart', () => {
  const names = Object.keys(variables(() => '').shape);
  const takenBySomeService = names.filter((name) => {
    const service = name.replace(/_(PORT|SERVICE_HOST|SERVICE_PORT.*|PORT_[0-9]+_.*)$/, '');
    return service !== name && name in linksOf(service);
  });
  assert.deepEqual(takenBySomeService, ['METRICS_PORT']);
  for (const name of names) assert.equal(isServiceLink(name, '8080'), false, name);
});
