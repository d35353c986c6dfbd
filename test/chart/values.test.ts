import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';

import { isMap, isScalar, parseDocument, type Pair, type YAMLMap } from 'yaml';

import { chartFolder, refusalOf, render, withValues } from './chart.ts';

/* values.yaml, its comments and its schema: nothing unsaid, nothing unknown let through. */

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly additionalProperties?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
}

const readText = (file: string) => readFile(`${chartFolder}/${file}`, 'utf8');
const schema = JSON.parse(await readText('values.schema.json')) as Schema & {
  readonly definitions: Readonly<Record<string, Schema>>;
};

const resolved = (part: Schema): Schema =>
  part.$ref === undefined ? part : schema.definitions[part.$ref.replace('#/definitions/', '')]!;

/** Every value that has no map below it, or an empty one: its path, and whether it or a value around it is commented. */
function leavesOf(map: YAMLMap, path: readonly string[] = [], commentedAbove = false): Leaf[] {
  return map.items.flatMap((pair, index) => {
    const key = String(isScalar(pair.key) ? pair.key.value : pair.key);
    const commented = commentedAbove || (commentOf(map, pair, index) ?? '').includes(' -- ');
    const below = isMap(pair.value) && pair.value.items.length > 0 ? pair.value : undefined;
    return below === undefined
      ? [{ path: [...path, key], commented }]
      : leavesOf(below, [...path, key], commented);
  });
}

interface Leaf {
  readonly path: readonly string[];
  readonly commented: boolean;
}

/** The parser gives the comment of a map's first key to the map. */
const commentOf = (map: YAMLMap, pair: Pair, index: number): string | null | undefined =>
  (isScalar(pair.key) ? pair.key.commentBefore : undefined) ?? (index === 0 ? map.commentBefore : undefined);

const leaves = leavesOf(parseDocument(await readText('values.yaml')).contents as YAMLMap);

test('every value has a comment that begins with --', () => {
  assert.ok(leaves.length > 80);
  assert.deepEqual(
    leaves.filter(({ commented }) => !commented).map(({ path }) => path.join('.')),
    [],
  );
});

test('every value is in the schema', () => {
  for (const { path } of leaves) {
    let part: Schema = schema;
    for (const key of path) {
      if (part.properties === undefined) break; // a shape of Kubernetes, passed through
      const next: Schema | undefined = part.properties[key];
      assert.ok(next, `${path.join('.')}: the schema does not know ${key}`);
      part = resolved(next);
    }
  }
});

test('wherever the schema knows keys, it knows all of them', () => {
  const loose: string[] = [];
  const look = (part: Schema, path: string): void => {
    if (part.properties !== undefined && part.additionalProperties !== false) loose.push(path);
    for (const [key, below] of Object.entries(part.properties ?? {})) look(below, `${path}.${key}`);
    if (part.items !== undefined) look(part.items, `${path}[]`);
  };
  look(schema, '');
  for (const [name, definition] of Object.entries(schema.definitions)) look(definition, name);
  assert.deepEqual(loose, []);
});

const certificate = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----';

const refusals: readonly (readonly [title: string, set: string, message: RegExp])[] = [
  ['an unknown value', 'hook.tsl.source=none', /at '\/hook': additional properties 'tsl' not allowed/],
  ['an unknown word', 'hook.tls.source=self-signed', /value must be one of 'generated', 'secret'/],
  ['a number as text', 'replicas=two', /at '\/replicas': got string, want integer/],
  [
    'a name that is none',
    'installation=Production_1',
    /at '\/installation': value must be 'a name: small letters/,
  ],
  ['an address with a path', 'openbao.address=https://bao/v1', /at '\/openbao\/address'/],
  ['an external address in the clear', 'openbao.externalAddress=http://bao', /externalAddress/],
  ['a digest that is none', 'image.digest=latest', /at '\/image\/digest'/],
  ['a bundle that is no PEM', 'postgres.ca.bundle=MIIB', /at '\/postgres\/ca\/bundle'/],
  [
    'a private key beside a certificate',
    `postgres.ca.bundle=${certificate}\n-----BEGIN EC PRIVATE KEY-----\nMIIB\n-----END EC PRIVATE KEY-----`,
    /at '\/postgres\/ca\/bundle': value must be 'the PEM text of certificates/,
  ],
  [
    'a bundle with something else than certificates',
    `openbao.ca.bundle=${certificate}\n-----BEGIN PARAMETERS-----\nMIIB\n-----END PARAMETERS-----`,
    /at '\/openbao\/ca\/bundle'/,
  ],
  ['more Pods than anybody means', 'replicas=101', /at '\/replicas': maximum: got 101, want 100/],
  ['an image that is none', 'image.repository=registry: x', /at '\/image\/repository'/],
  [
    'a tag in the repository',
    'image.repository=registry.example.com/operator:1.0',
    /at '\/image\/repository'/,
  ],
  ...['https://hook/path', 'https://hook:0', 'https://hook:65536', 'https://a b', 'https://u@hook'].map(
    (url) =>
      [
        `${url} as the hook's origin`,
        `metacontroller.hookUrl=${url}`,
        /at '\/metacontroller\/hookUrl'/,
      ] as const,
  ),
  ['one IP family twice', 'service.ipFamilies={IPv4,IPv4}', /at '\/service\/ipFamilies': items at 0 and 1/],
  [
    'a liveness probe that the API server refuses',
    'livenessProbe.successThreshold=2',
    /at '\/livenessProbe\/successThreshold'/,
  ],
  ...['commonLabels', 'podLabels', 'metacontroller.labels'].flatMap((labels) => [
    [
      `a label of ${labels} that is none`,
      `${labels}.team=-a`,
      /\/team': value must be 'the value of a label'/,
    ] as const,
    [
      `the name of a label of ${labels} that is none`,
      `${labels}.a b=x`,
      /invalid propertyName 'a b'/,
    ] as const,
  ]),
  [
    'a variable that the chart sets',
    'extraEnv[0].name=INSTALLATION',
    /extraEnv must not have INSTALLATION, which the chart sets itself/,
  ],
  ...['rbac.authorization.k8s.io/aggregate-to-view', 'metacontroller.pgtenancy.io/aggregate-to-x'].map(
    (label) =>
      [
        `${label} on every object`,
        `commonLabels.${label.replaceAll('.', String.raw`\.`)}=yes`,
        /commonLabels must not have \S+aggregate-to-\w+: it would give the rights/,
      ] as const,
  ),
  [
    'a volume that the chart has',
    'extraVolumes[0].name=kubernetes-api',
    /extraVolumes must not have kubernetes-api, which the chart sets itself/,
  ],
  ['an IP address that is none', 'hook.tls.extraIpAddresses={10.0.0}', /extraIpAddresses\/0/],
  ['a timeout that the operator refuses', 'hook.timeoutSeconds=10', /minimum: got 10, want 15/],
  [
    'no CA of OpenBao',
    'openbao.ca.configMap.name=',
    /openbao\.ca is required with an https openbao\.address/,
  ],
  ['two CAs of OpenBao', 'openbao.ca.systemRoots=true', /exclude each other/],
  ['a CA where there is no TLS', 'openbao.address=http://bao:8200', /openbao\.ca must be empty/],
  [
    'a mount that begins like the installation',
    'openbao.mount=production/kv',
    /must not begin with the word/,
  ],
  ['the mount of the login below auth/', 'openbao.authMount=auth/kubernetes', /leave out auth\//],
  [
    'no Secret with the token for OpenBao',
    'openbao.auth=token',
    /openbao\.tokenSecret\.name or openbao\.tokenFile is/,
  ],
  [
    'two tokens for OpenBao',
    'openbao.auth=token,openbao.tokenSecret.name=a,openbao.tokenFile=/b',
    /one of the two/,
  ],
  ['no Secret with the certificate', 'hook.tls.source=secret', /hook\.tls\.secretName is required/],
  ['no CA of the certificate', 'hook.tls.source=secret', /hook\.tls\.caBundle is required/],
  [
    'no CA where nobody can look it up',
    'hook.tls.source=certManager,metacontroller.compositeControllers=always',
    /hook\.tls\.caBundle is required with hook\.tls\.source=certManager/,
  ],
  [
    'a token in the clear',
    'hook.tls.source=none,hook.token.enabled=true,hook.token.secretName=a',
    /hook\.token\.enabled needs TLS: with hook\.tls\.source=none/,
  ],
  ['a token without its Secret', 'hook.token.enabled=true', /hook\.token\.secretName is required/],
  ...['dns', 'kubernetesApi', 'postgres'].map(
    (name) =>
      [
        `a rule for ${name} without a port, which would allow all`,
        `networkPolicy.egress.${name}.ports=null`,
        new RegExp(`at '/networkPolicy/egress/${name}': missing property 'ports'`),
      ] as const,
  ),
  ['a budget that says nothing', 'podDisruptionBudget.maxUnavailable=null', /is required: with neither/],
  ['the same with an empty text', 'podDisruptionBudget.maxUnavailable=', /is required: with neither/],
  ...['commonLabels', 'podLabels'].map(
    (labels) =>
      [
        `another label that selects Pods in ${labels}`,
        String.raw`${labels}.app\.kubernetes\.io/instance=other`,
        new RegExp(`${labels} must not have app\\.kubernetes\\.io/instance, which the chart sets itself`),
      ] as const,
  ),
  [
    'a label that says which chart it is',
    String.raw`commonLabels.helm\.sh/chart=x`,
    /commonLabels must not have helm\.sh\/chart/,
  ],
  ['an address of the hook in the clear', 'metacontroller.hookUrl=http://hook:80', /must begin with https/],
  ['one port for two', 'metrics.port=8443', /hook\.port and metrics\.port must differ/],
  ['times the wrong way round', 'reconcile.loginCheckSeconds.min=7200', /must not be greater than/],
  ['no ServiceAccount at all', 'serviceAccount.create=false', /serviceAccount\.name is required/],
];

for (const [title, set, message] of refusals)
  test(`refused with a sentence: ${title}`, async () => {
    assert.match(await refusalOf(withValues('minimal', '--set', set)), message);
  });

const allowed: readonly (readonly [title: string, set: string])[] = [
  [
    'certificates with text around them',
    `postgres.ca.bundle=# A - B\n-------\n${certificate}\n# ----- BEGIN of C\n${certificate}\n---`,
  ],
  ['a weekly interval', 'metrics.serviceMonitor.enabled=true,metrics.serviceMonitor.interval=1w'],
  ['the hash of a commit as a label', `commonLabels.commit=${'5ec2e7d0'.repeat(5)}`],
  ['a registry with a port', 'image.repository=localhost:5000/platform/tenant_operator'],
  ['an IPv6 address as the host of the hook', 'metacontroller.hookUrl=https://[2001:db8::1]:65535'],
  ['a prefix in the name of a label', String.raw`commonLabels.example\.com/team=A.b_c`],
  ['a variable that the chart knows and does not set', 'extraEnv[0].name=OPENBAO_NAMESPACE'],
];

for (const [title, set] of allowed)
  test(`taken: ${title}`, async () => {
    assert.ok((await render(withValues('minimal', '--set', set))).length > 0);
  });

test('what has no default is asked for in one message', async () => {
  const said = await refusalOf([]);
  for (const value of ['installation', 'image.repository', 'openbao.address', 'openbao.externalAddress'])
    assert.match(said, new RegExp(`^- ${value.replace('.', '\\.')} is required`, 'm'));
});

test('a chart that depends on this one may have its condition and its globals', async () => {
  const args = withValues('minimal', '--set', 'enabled=true,global.imageRegistry=registry.example.com');
  assert.deepEqual(
    (await render(args)).map(({ kind }) => kind),
    (await render(withValues('minimal'))).map(({ kind }) => kind),
  );
});
