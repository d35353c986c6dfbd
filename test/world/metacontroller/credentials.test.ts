import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { startIssuer, type Issuer } from '../../http/issuer.ts';
import type { KubeObject } from '../kubernetes/client.ts';
import { compositeControllers, events, secrets } from '../kubernetes/resources.ts';
import type { Certificate } from '../servers/pki.ts';
import { parseCompositeController } from './composite-controller.ts';
import { eventually } from './eventually.ts';
import { type Trial, withTrial } from './trial.ts';
import { thing, thingController, things } from './trial-kinds.ts';

let issuer: Issuer;
let certificate: Certificate;
const secretRef = { name: 'hook', namespace: 'team', key: 'token' };

const tokenSecret = (token: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'hook', namespace: 'team' },
  stringData: { token },
});

/** The controller of Things, calling the hook with this in its one webhook. */
const controllerWith = ({ hook }: Trial, webhook: Record<string, unknown>): KubeObject =>
  thingController(hook.url, {
    hooks: { sync: { version: 'v2', webhook: { url: `${hook.url}/sync`, ...webhook } } },
  });

const asked = (trial: Trial, count = 1) =>
  eventually(() => {
    assert.ok(trial.hook.requests.length >= count);
    return trial.hook.requests.at(-1);
  });

const told = (trial: Trial, words: RegExp) =>
  eventually(async () => {
    const { items } = await trial.client.list(events);
    const messages = items.map((event) => String(event['message']));
    assert.ok(
      messages.some((message) => words.test(message)),
      messages.join('\n'),
    );
  });

const overTls = (run: (trial: Trial) => Promise<void>) =>
  withTrial(run, { idle: true, tls: () => certificate });

describe('what a hook is called with', () => {
  before(async () => {
    issuer = await startIssuer();
    certificate = await issuer.issue('hook');
  });
  after(() => issuer[Symbol.asyncDispose]());

  describe('a hook over TLS', () => {
    it(
      'is called when its certificate is of the CA that stands in the webhook, with HTTP/1.1 where HTTP/2 is offered',
      overTls(async (trial) => {
        await trial.client.create(
          compositeControllers,
          controllerWith(trial, { caBundle: { inline: issuer.ca } }),
        );
        await trial.client.create(things, thing('a'));
        const request = await asked(trial);
        assert.equal(request?.headers.authorization, undefined);
      }),
    );

    it(
      'is not called without the CA',
      overTls(async (trial) => {
        await trial.client.create(compositeControllers, controllerWith(trial, {}));
        await trial.client.create(things, thing('a'));
        await told(trial, /http error: Post "https:.*certificate/);
        assert.deepEqual(trial.hook.requests, []);
      }),
    );

    it(
      'with a CA that is none keeps the controller from starting',
      overTls(async (trial) => {
        await trial.client.create(
          compositeControllers,
          controllerWith(trial, { caBundle: { inline: 'CHANGE ME' } }),
        );
        await told(trial, /no valid PEM-encoded certificates/);
      }),
    );
  });

  describe('a bearer token', () => {
    it(
      'comes from the Secret, without the white space around it, and is read when the controller starts',
      overTls(async (trial) => {
        const { client } = trial;
        await client.create(secrets, tokenSecret('one\n'));
        const webhook = { caBundle: { inline: issuer.ca }, authorization: { secretRef } };
        await client.create(compositeControllers, controllerWith(trial, webhook));
        await client.create(things, thing('a'));
        assert.equal((await asked(trial))?.headers.authorization, 'Bearer one');

        await client.patch(secrets, 'hook', 'team', { stringData: { token: 'two' } });
        const before = trial.hook.requests.length;
        await client.patch(things, 'a', 'team', { spec: { x: 1 } });
        assert.equal((await asked(trial, before + 1))?.headers.authorization, 'Bearer one');

        const { spec } = controllerWith(trial, { ...webhook, timeout: '10001ms' });
        await client.patch(compositeControllers, 'thing-controller', undefined, { spec });
        await eventually(() => assert.equal(trial.hook.requests.at(-1)?.headers.authorization, 'Bearer two'));
      }),
    );

    it(
      'that is missing keeps the controller from starting until it is there',
      overTls(async (trial) => {
        const { client } = trial;
        const webhook = { caBundle: { inline: issuer.ca }, authorization: { secretRef } };
        await client.create(compositeControllers, controllerWith(trial, webhook));
        await client.create(things, thing('a'));
        await told(trial, /can't get authorization secret team\/hook/);
        assert.deepEqual(trial.hook.requests, []);
        await client.create(secrets, tokenSecret('late'));
        assert.equal((await asked(trial))?.headers.authorization, 'Bearer late');
      }),
    );

    it('of the scheme Basic is refused', () => {
      const basic = { url: 'http://x', authorization: { type: 'basic', secretRef } };
      const controller = thingController('http://x', { hooks: { sync: { version: 'v2', webhook: basic } } });
      assert.throws(() => parseCompositeController(controller), /authorization/);
    });
  });
});
