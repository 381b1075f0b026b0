/** A function of the application decides: what it says holds, and whatever else it does is no. */

import { expect, test } from 'vitest';
import { caller, eventsOf, policyKernel } from '../helpers/policy_kernel.js';

const CALL = { path: 'a.md', content: 'x' };

test.each([
  ['allows', () => 'allow', 'allow'],
  ['denies', () => ({ verdict: 'deny', rule: 'cedar-7', reason: 'Not here.' }), 'deny'],
  ['asks', async () => 'ask', 'ask'],
  [
    'throws',
    () => {
      throw new Error('OPA is down');
    },
    'deny',
  ],
  ['says what nobody understands', () => 'yes', 'deny'],
  ['says nothing', () => undefined, 'deny'],
  ['never answers', () => new Promise(() => {}), 'deny'],
])('it %s', async (_, decide, said) => {
  const policy = /** @type {any} */ ((/** @type {any} */ { effect }) => (effect === 'run' ? 'allow' : decide()));
  const { kernel } = await policyKernel(policy, { config: { agent: { approvalMs: 1_000 } } });
  const { call, guest } = await caller(kernel);
  expect(await call('write_file', CALL)).toMatchObject({ said });
  expect(await guest("tgp.write_file('/tmp/a.md', 'x')")).toMatchObject({ said });
});

test('what it says of a rule and a reason reaches the caller and the ledger', async () => {
  const { kernel } = await policyKernel(() => ({ verdict: 'deny', rule: 'cedar-7', reason: 'Not here.' }));
  const { call } = await caller(kernel);
  expect(await call('write_file', CALL)).toMatchObject({ said: 'deny', rule: 'cedar-7', reason: 'Not here.' });
  expect(await eventsOf(kernel, 'DENIED')).toMatchObject([{ rule: 'cedar-7', tool: 'write_file' }]);
});
