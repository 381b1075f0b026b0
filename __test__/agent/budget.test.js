/** Budgets: a budget that is used up ends the run between two steps, with no call half-done. */

import { expect, test } from 'vitest';
import { z } from 'zod';
import { agentModel, eventsOf } from '../helpers/agent_model.js';
import { createKernel } from '../helpers/create_kernel.js';

const usage = { input: 1_000, output: 100 };
const LIST = { tool: 'list_files', input: { dir: '' } };
const endless = () => agentModel(() => ({ calls: [LIST], usage }));

test.each([
  ['steps', { budget: { steps: 3 } }, 3],
  ['money', { budget: { money: 0.004 }, prices: { scripted: { input: 1, output: 10 } } }, 2],
])('the budget of %s ends the run', async (what, options, steps) => {
  const { kernel } = await createKernel();
  const result = await kernel.agent({ model: endless(), ...options }).run('go', { session: 's' }).result;
  expect(result).toMatchObject({
    outcome: 'budget',
    error: { code: 'ERR_BUDGET', message: expect.stringContaining(what) },
  });
  expect(result.summary).toMatchObject({ steps, calls: steps });
  const { steps: taken } = await kernel.sessions.get('s');
  expect(taken.flatMap(({ calls }) => calls).every(({ state }) => state === 'ok')).toBe(true);
});

test('tokens: the estimate for the next step counts, too', async () => {
  const { kernel } = await createKernel();
  const tokens = 30_000;
  const model = agentModel(() => ({ calls: [LIST], usage: { input: 8_000, output: 100 } }));
  const { summary, outcome } = await kernel.agent({ model, budget: { tokens } }).run('go').result;
  expect(outcome).toBe('budget');
  expect(summary.tokens.total).toBe(3 * 8_100);
  const [first, second] = model.doStreamCalls;
  expect(first?.maxOutputTokens).toBeLessThan(tokens);
  expect(second?.maxOutputTokens).toBeLessThan(tokens - 8_100);
});

test('a budget covers a task with all of its resumptions, and starts anew for the next task', async () => {
  const { kernel } = await createKernel();
  const agent = kernel.agent({ model: endless(), budget: { steps: 2 }, session: 's' });
  await agent.run('go').result;
  const again = await agent.run(undefined, { resume: true }).result;
  expect(again).toMatchObject({ outcome: 'budget', summary: { steps: 2, tokens: { total: 2_200 } } });
  expect(await agent.run('and now this').result).toMatchObject({ outcome: 'budget', summary: { steps: 2 } });
});

test('the time budget ends a turn of the model, but waits for a running call', async () => {
  const { kernel } = await createKernel();
  const model = agentModel(({ turn, signal }) =>
    turn === 0
      ? { calls: [{ tool: 'slow', input: {} }] }
      : new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason))),
  );
  let isDone = false;
  const slow = {
    description: 'Takes its time.',
    inputSchema: z.object({}),
    execute: async () => {
      await new Promise((done) => setTimeout(done, 2_100));
      isDone = true;
      return 'done';
    },
  };
  const agent = kernel.agent({ model, tools: { slow: /** @type {any} */ (slow) }, budget: { ms: 2_000 } });
  const events = await eventsOf(agent.run('go', { session: 's' }));
  expect(events.at(-1)).toMatchObject({ outcome: 'budget', error: { message: expect.stringContaining('time') } });
  expect(isDone).toBe(true);
  expect(events.find(({ type }) => type === 'tool_result')).toMatchObject({ ok: true });

  const hanging = agentModel(
    ({ signal }) => new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason))),
  );
  expect(await kernel.agent({ model: hanging, budget: { ms: 100 } }).run('go').result).toMatchObject({
    outcome: 'budget',
  });
});
