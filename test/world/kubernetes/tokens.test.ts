import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'node:test';

import { startKubernetesApi } from './api.ts';
import { ApiError, KubeClient, type KubeObject, type Resource } from './client.ts';
import { serviceAccounts } from './resources.ts';
import { refusalOf, withApi } from './test-api.ts';

const account: KubeObject = {
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  metadata: { name: 'app', namespace: 'default' },
};
const reviews: Resource = { group: 'authentication.k8s.io', version: 'v1', plural: 'tokenreviews' };

const tokenReview = (spec: Record<string, unknown>): KubeObject => ({
  apiVersion: 'authentication.k8s.io/v1',
  kind: 'TokenReview',
  metadata: { name: '' },
  spec,
});

const tokenFor = (client: KubeClient, spec: object, name = 'app'): Promise<KubeObject> =>
  client.requestToken(name, 'default', spec);

const textOf = (answer: KubeObject): string => answer.status?.['token'] as string;

/** Asks as a service account that the API knows. */
const review = async (client: KubeClient, url: string, spec: Record<string, unknown>): Promise<unknown> => {
  const token = textOf(await tokenFor(client, {}, 'reviewer'));
  return (await new KubeClient({ url, token }).create(reviews, tokenReview(spec))).status;
};

/** Lends an API with the ServiceAccounts `app` and `reviewer`. */
const withAccounts = (use: (client: KubeClient, url: string, uid: string) => Promise<void>): Promise<void> =>
  withApi([], async (client, { url }) => {
    const created = await client.create(serviceAccounts, account);
    await client.create(serviceAccounts, { ...account, metadata: { ...account.metadata, name: 'reviewer' } });
    await use(client, url, created.metadata.uid ?? '');
  });

test('a requested token is a signed JWT for its audiences and its time, and a review knows it', async () => {
  await withAccounts(async (client, url, uid) => {
    const answer = await tokenFor(client, { audiences: ['openbao'], expirationSeconds: 900 });
    const claims = JSON.parse(
      Buffer.from(textOf(answer).split('.')[1] ?? '', 'base64url').toString(),
    ) as Record<string, number>;
    assert.equal((claims['exp'] ?? 0) - (claims['iat'] ?? 0), 900);
    assert.ok(
      Math.abs(Date.parse(answer.status?.['expirationTimestamp'] as string) / 1000 - (claims['exp'] ?? 0)) <=
        1,
    );
    assert.deepEqual(await review(client, url, { token: textOf(answer), audiences: ['openbao', 'more'] }), {
      authenticated: true,
      user: {
        username: 'system:serviceaccount:default:app',
        uid,
        groups: ['system:serviceaccounts', 'system:serviceaccounts:default', 'system:authenticated'],
        extra: { 'authentication.kubernetes.io/credential-id': [`JTI=${String(claims['jti'])}`] },
      },
      audiences: ['openbao'],
    });
  });
});

test('a token for another audience, of another signer or of no shape at all is not authenticated', async () => {
  await withAccounts(async (client, url) => {
    const token = textOf(await tokenFor(client, { audiences: ['openbao'] }));
    const [header, body] = token.split('.');
    const forged = `${header}.${body}.${Buffer.alloc(64, 1).toString('base64url')}`;
    for (const [spec, error] of [
      [
        { token },
        `[invalid bearer token, token audiences ["openbao"] is invalid for the target audiences ["https://kubernetes.default.svc"]]`,
      ],
      [{ token: forged, audiences: ['openbao'] }, 'invalid bearer token'],
      [{ token: 'abc', audiences: ['openbao'] }, 'invalid bearer token'],
    ] as const)
      assert.deepEqual(await review(client, url, spec), { user: {}, error });
    assert.equal((await refusalOf(review(client, url, {}))).code, 400);
  });
});

test('the token of a ServiceAccount that was deleted, or made anew, is not authenticated any more', async () => {
  await withAccounts(async (client, url, uid) => {
    const token = textOf(await tokenFor(client, { audiences: ['openbao'] }));
    const ask = () => review(client, url, { token, audiences: ['openbao'] });
    await client.delete(serviceAccounts, 'app', 'default');
    assert.deepEqual(await ask(), {
      user: {},
      error: '[invalid bearer token, serviceaccounts "app" not found]',
    });
    const { metadata } = await client.create(serviceAccounts, account);
    assert.deepEqual(await ask(), {
      user: {},
      error: `[invalid bearer token, service account UID (${String(metadata.uid)}) does not match claim (${uid})]`,
    });
  });
});

test('a token expires', async () => {
  const api = await startKubernetesApi({ shortestTokenSeconds: 1 });
  try {
    const client = new KubeClient({ url: api.url });
    for (const name of ['app', 'reviewer'])
      await client.create(serviceAccounts, { ...account, metadata: { ...account.metadata, name } });
    const token = textOf(await tokenFor(client, { audiences: ['openbao'], expirationSeconds: 1 }));
    await sleep(1_100);
    assert.deepEqual(await review(client, api.url, { token, audiences: ['openbao'] }), {
      user: {},
      error: '[invalid bearer token, service account token has expired]',
    });
  } finally {
    await api.close();
  }
});

test('a token for less than ten minutes, for nobody, or bound to something is refused', async () => {
  await withAccounts(async (client) => {
    const short = await refusalOf(tokenFor(client, { expirationSeconds: 599 }));
    assert.equal(short.code, 422);
    assert.match(
      short.message,
      /spec\.expirationSeconds: Invalid value: 599: may not specify a duration less than 10 minutes/,
    );
    assert.equal((await refusalOf(tokenFor(client, {}, 'nobody'))).code, 404);
    assert.equal((await refusalOf(tokenFor(client, { boundObjectRef: { kind: 'Pod' } }))).code, 400);
  });
});

test('only who shows a token for the API may ask for a review', async () => {
  await withAccounts(async (client, url) => {
    const token = textOf(await tokenFor(client, { audiences: ['openbao'] }));
    const body = tokenReview({ token });
    assert.equal((await refusalOf(client.create(reviews, body))).code, 403);
    const own = new KubeClient({ url, token });
    const refused = await own.create(reviews, body).catch((error: unknown) => error);
    assert.ok(refused instanceof ApiError);
    assert.equal(refused.code, 401);
  });
});

test('reviews and requested tokens are stored nowhere and are no writes', async () => {
  await withApi([], async (client, api) => {
    await client.create(serviceAccounts, account);
    const writes = api.audit.length;
    await tokenFor(client, {});
    assert.equal(api.audit.length, writes);
    assert.deepEqual(
      (await client.list(serviceAccounts, 'default')).items.map(({ metadata }) => metadata.name),
      ['app'],
    );
  });
});
