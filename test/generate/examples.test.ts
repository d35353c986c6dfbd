import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { test } from 'node:test';

import { parseAllDocuments } from 'yaml';

import { instanceSpecShape } from '../../src/api/instance.ts';
import { withOurKinds } from '../api/installed-crds.ts';
import type { KubeObject } from '../world/kubernetes/client.ts';
import { instances, tenants, namespaces } from '../world/kubernetes/resources.ts';

const folder = new URL('../../examples/', import.meta.url);

async function objectsIn(file: string): Promise<KubeObject[]> {
  const documents = parseAllDocuments(await readFile(new URL(file, folder), 'utf8'));
  return documents.map((document) => document.toJS() as KubeObject);
}

const ours = ({ kind }: KubeObject): boolean => kind === 'PostgreSQLInstance' || kind === 'PostgreSQLTenant';

test('every example of our kinds is accepted, and nothing of it is dropped', async (t) => {
  // What is in install/ is for the operator itself.
  const files = (await readdir(folder, { recursive: true })).filter(
    (name) => name.endsWith('.yaml') && !name.startsWith('install/'),
  );
  assert.ok(files.length >= 7);
  for (const file of files)
    await t.test(`${file} is accepted`, async () => {
      await withOurKinds(async (client) => {
        const given = (await objectsIn(file)).filter(ours);
        assert.ok(given.length > 0);
        await client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } });
        for (const object of given) {
          const resource = object.kind === 'PostgreSQLTenant' ? tenants : instances;
          const stored = await client.create(resource, object);
          assert.partialDeepStrictEqual(stored.spec, object.spec);
        }
      });
    });
});

test('the ExternalSecret of the quickstart makes the Secret that its Instance names, with both keys', async () => {
  const [externalSecret, instance] = await objectsIn('quickstart/platform.yaml');
  const { managementSecretRef } = instanceSpecShape.parse(instance?.spec);
  const spec = externalSecret?.spec as {
    target: { name: string };
    data: { secretKey: string; remoteRef: { key: string; property: string } }[];
  };
  assert.equal(spec.target.name, managementSecretRef.name);
  assert.deepEqual(
    spec.data.map(({ secretKey }) => secretKey),
    [managementSecretRef.usernameKey, managementSecretRef.passwordKey],
  );
  const [team] = await objectsIn('quickstart/team.yaml');
  assert.deepEqual(team?.spec?.['instanceRef'], { name: instance?.metadata.name });
});
