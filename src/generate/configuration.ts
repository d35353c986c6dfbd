import { consumerVariables } from '../config/consumer-variables.ts';
import { generalVariables } from '../config/general-variables.ts';
import { hookVariables } from '../config/hook-variables.ts';
import { kubernetesVariables } from '../config/kubernetes-variables.ts';
import { openBaoVariables } from '../config/openbao-variables.ts';
import { closingSeconds, timeVariables } from '../config/time-variables.ts';
import { configurationHead, configurationRows } from './configuration-rows.ts';
import { blocks, fenced, table } from './markdown.ts';

/** No file is read: only the shapes are looked at. */
const noFile = () => '';

/** `docs/configuration.md`, not yet formatted. `deployment`: the Deployment that is shown, as YAML. */
export const configuration = (deployment: string): string =>
  blocks(
    '# Configuration',
    '<!-- Generated from src/config by `npm run generate`; do not edit. -->',
    'The operator is configured by environment variables and by nothing else. They are read once, when it starts; files that they name are read again as each row says. An empty variable counts as unset.',
    'With a faulty configuration the process does not start: it writes **all** faults into one message on standard error, each with the name of its variable and without its value, and ends with exit code 2. `kubectl logs` shows it.',
    groups().join('\n\n'),
    secretsChapter,
    namesChapter,
    exampleChapter(deployment),
  );

const groups = (): string[] => [
  group(
    'General',
    'Who this operator is. Several operators may share PostgreSQL servers and OpenBao when each has an `INSTALLATION` of its own.',
    generalVariables(),
  ),
  group(
    'Hooks and metrics',
    'Two ports: one that only Metacontroller calls, one for the kubelet and Prometheus. [Security](security.md) says what a bearer token costs and what a NetworkPolicy does instead.',
    hookVariables(noFile),
  ),
  group(
    'Kubernetes API',
    'The operator reads a few objects from the API server, and writes none.',
    kubernetesVariables(noFile),
  ),
  group(
    'OpenBao',
    'Where the credentials of the Tenants are kept. With `OPENBAO_AUTH=kubernetes` the operator logs in with its service account and needs `OPENBAO_ROLE`; with `OPENBAO_AUTH=token` it needs a token and none of the three variables of the login.',
    openBaoVariables(noFile),
  ),
  group('External Secrets and PostgreSQL', 'What every Tenant gets.', consumerVariables(noFile)),
  group(
    'Times',
    `In whole seconds. After \`SIGTERM\` the process runs on for \`DRAIN_SECONDS\`, answers what is under way within 80 % of \`HOOK_TIMEOUT_SECONDS\`, and closes its connections within ${closingSeconds}. The \`terminationGracePeriodSeconds\` of the Pod must be more than these together: with the defaults, more than ${longestEndSeconds()}.`,
    timeVariables(),
  ),
];

/** With the defaults. */
function longestEndSeconds(): number {
  const { DRAIN_SECONDS: drain, HOOK_TIMEOUT_SECONDS: timeout } = timeVariables();
  return drain.parse(undefined) + timeout.parse(undefined) * 0.8 + closingSeconds;
}

const group = (title: string, intro: string, shapes: Parameters<typeof configurationRows>[0]): string =>
  blocks(`## ${title}`, intro, table(configurationHead, configurationRows(shapes)));

const secretsChapter = blocks(
  '## Secrets',
  'A variable that is marked as secret can be given directly or by the path of a file, not both. A newline at the end of the file does not count; a file that cannot be read, is empty, or holds control characters is a fault. Files are the better way: they can be replaced without a restart, and do not appear in the description of the Pod. A secret appears in no log line, message, metric or answer.',
  'A token for the hooks has at least 32 characters:',
  fenced('sh', 'openssl rand -hex 32'),
);

const namesChapter = blocks(
  '## Misspelt names',
  'A variable that begins with `HOOK_`, `OPENBAO_` or `SECRET_STORE_` and is not in the tables is a fault. Other names that are not in the tables are passed over: they may be meant for somebody else.',
  'Variables that Kubernetes makes for the Services of a namespace (`OPENBAO_SERVICE_HOST`, `OPENBAO_PORT=tcp://...`, `METRICS_PORT=tcp://...`) are passed over, whatever the Services are called. `enableServiceLinks: false` in the Pod keeps them out altogether.',
);

const exampleChapter = (deployment: string): string =>
  blocks(
    '## Example',
    'The variables of the Deployment in [`examples/install/operator.yaml`](../examples/install/operator.yaml), which also has the volumes with these files:',
    fenced('yaml', envOf(deployment)),
    'With a bearer token for the hooks, in place of `HOOK_AUTHENTICATION: none`:',
    fenced('yaml', '- { name: HOOK_TOKEN_FILE, value: /var/run/secrets/hook/tokens }'),
    'With a token for OpenBao that an agent keeps in a file, in place of `OPENBAO_ROLE` and `OPENBAO_SERVICE_ACCOUNT_TOKEN_FILE`:',
    fenced(
      'yaml',
      '- { name: OPENBAO_AUTH, value: token }\n- { name: OPENBAO_TOKEN_FILE, value: /var/run/secrets/openbao-agent/token }',
    ),
    'For a trial on one machine, without TLS anywhere:',
    fenced('sh', trial),
  );

const trial = `HOST=127.0.0.1 HOOK_TLS=off HOOK_AUTHENTICATION=none \\
INSTALLATION=trial OPERATOR_NAMESPACE=default KUBERNETES_URL=http://127.0.0.1:8001 \\
OPENBAO_ADDRESS=http://127.0.0.1:8200 OPENBAO_MOUNT=pg-tenants OPENBAO_AUTH=token OPENBAO_TOKEN_FILE=./token \\
SECRET_STORE_NAME=tenants npm start`;

/** The lines of `env`, as they are written in the manifest, with their comments. */
function envOf(deployment: string): string {
  const found = /^( *)env:\n((?:\1 .*\n)+)/m.exec(deployment);
  if (found?.[2] === undefined) throw new Error('the Deployment has no env');
  const lines = found[0].split('\n');
  const indent = found[1]?.length ?? 0;
  return lines.map((line) => line.slice(indent)).join('\n');
}
