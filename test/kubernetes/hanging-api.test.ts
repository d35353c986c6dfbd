import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createKubernetesReader } from '../../src/kubernetes/reader.ts';
import type { Trouble } from '../../src/errors.ts';
import { startHttpStub } from '../http-stub.ts';
import { waitFor } from '../world/servers/wait-for.ts';
import { tenantObject } from './objects.ts';

/** What became of reads, in the order in which they ended. */
function reading(read: (index: number) => Promise<unknown>, count: number) {
  const outcomes: string[] = [];
  const done = Promise.all(
    Array.from({ length: count }, (_, index) =>
      read(index).then(
        () => outcomes.push('ok'),
        (error: unknown) => outcomes.push((error as Trouble).reason),
      ),
    ),
  );
  const ended = (outcome: string) => outcomes.filter((one) => one === outcome).length;
  return { outcomes, done, ended };
}

test('while the API server hangs four reads wait and all others are turned away; then it is told at once', async () => {
  let hangs = true;
  await using api = await startHttpStub(({ url }) =>
    hangs ? undefined : { body: tenantObject('shop', url!.split('/').at(-1)!) },
  );
  const reader = createKubernetesReader({ url: api.url, operatorNamespace: 'ops' });
  const read = (index: number) => reader.tenant('shop', `t${index}`);

  const first = reading(read, 50);
  await waitFor('most to be turned away', () => first.ended('Busy') > 0);
  assert.deepEqual([first.ended('Busy'), first.outcomes.length], [46, 46]);
  const meanwhile = reading(read, 50);
  await meanwhile.done;
  assert.equal(meanwhile.ended('Busy'), 50);
  assert.equal(api.seen.length, 50, 'they were not sent');

  await first.done;
  assert.equal(first.ended('KubernetesUnreachable'), 4);
  const known = reading(read, 50);
  await known.done;
  assert.equal(known.ended('KubernetesUnreachable'), 50);
  assert.equal(api.seen.length, 50);

  hangs = false;
  await waitFor('a read to pass', async () => {
    const one = reading(read, 1);
    await one.done;
    return one.ended('ok') === 1;
  });
  const afterwards = reading(read, 50);
  await afterwards.done;
  assert.equal(afterwards.ended('ok'), 50);
});

test('an API server that stumbles at once is asked each time: that holds nobody', async () => {
  let stumbles = true;
  await using api = await startHttpStub(({ url }) =>
    stumbles ? { status: 503, body: {} } : { body: tenantObject('shop', url!.split('/').at(-1)!) },
  );
  const reader = createKubernetesReader({ url: api.url, operatorNamespace: 'ops' });
  const read = (index: number) => reader.tenant('shop', `t${index}`);
  const refused = reading(read, 50);
  await refused.done;
  assert.equal(refused.ended('KubernetesUnreachable'), 50);
  stumbles = false;
  const again = reading(read, 50);
  await again.done;
  assert.equal(again.ended('ok'), 50);
});
