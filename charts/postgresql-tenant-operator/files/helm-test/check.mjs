import { readFileSync } from 'node:fs';
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';

/* What `helm test` runs in the cluster: the operator is ready, and the hook answers as Metacontroller calls it. */

const { READY_URL = '', HOOK_URL = '', CA_FILE, ATTEMPTS = '10' } = process.env;
const ca = CA_FILE === undefined ? undefined : readFileSync(CA_FILE, 'utf8');

/** The status of the answer to a GET; throws when there is none. */
const statusOf = (url) =>
  new Promise((resolve, reject) => {
    const send = url.startsWith('https:') ? requestHttps : requestHttp;
    const request = send(url, { ca, agent: false, timeout: 5_000 }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    request.on('timeout', () => request.destroy(new Error('no answer within 5 s')));
    request.on('error', reject);
    request.end();
  });

/** The hook takes POST only, and asks for its token first where it has one: both show who answers. */
const checks = [
  { what: 'the operator is ready', url: READY_URL, wanted: [200] },
  { what: 'the hook answers', url: HOOK_URL, wanted: [405, 401] },
];

/** Why it fails; undefined when it does not. */
async function failureOf({ url, wanted }) {
  try {
    const status = await statusOf(url);
    return wanted.includes(status) ? undefined : `status ${status} in place of ${wanted.join(' or ')}`;
  } catch (error) {
    return error.message;
  }
}

for (const check of checks) {
  let failure = await failureOf(check);
  for (let attempt = 1; failure !== undefined && attempt < Number(ATTEMPTS); attempt += 1) {
    await sleep(2_000);
    failure = await failureOf(check);
  }
  process.stdout.write(
    `${failure === undefined ? 'ok' : 'FAILED'}: ${check.what} (${check.url})${failure === undefined ? '' : `: ${failure}`}\n`,
  );
  if (failure !== undefined) process.exitCode = 1;
}
