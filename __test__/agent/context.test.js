/** Long sessions: each prompt fits the context of the model, keeps calls and results together, and contains the task. */

import { countTokens } from 'gpt-tokenizer';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { agentModel, eventsOf } from '../helpers/agent_model.js';
import { createKernel } from '../helpers/create_kernel.js';

const CONTEXT = 16_000;
const CALLS = 300;
const MEGABYTE = 1 << 20;
const TASK = 'Read all pages, find the number that was hidden on page 3, and remember the word "heliotrope".';

/** A page of one megabyte that begins with its number and its secret. */
const page = {
  description: 'One page of the archive.',
  inputSchema: z.object({ number: z.number(), why: z.string().optional() }),
  execute: async (/** @type {{ number: number }} */ { number }) => {
    const line = `page ${number}, secret ${number * 7919}: the quick brown fox jumps over the lazy dog.\n`;
    return line.repeat(Math.ceil(MEGABYTE / line.length));
  },
};

/**
 * Each call is directly followed by its result, and each result directly follows its call.
 * @param {any[]} prompt
 */
function arePaired(prompt) {
  return prompt.every(({ role, content }, at) => {
    const calls = content.filter?.(({ type }) => type === 'tool-call').map(({ toolCallId }) => toolCallId) ?? [];
    const results = prompt[at + 1]?.role === 'tool' ? prompt[at + 1].content.map(({ toolCallId }) => toolCallId) : [];
    if (role === 'assistant') return JSON.stringify(calls) === JSON.stringify(results);
    return role !== 'tool' || prompt[at - 1]?.role === 'assistant';
  });
}

test(`${CALLS} calls with results of a megabyte stay within ${CONTEXT} tokens`, { timeout: 300_000 }, async () => {
  const { kernel } = await createKernel();
  /** @type {number[]} */
  const sizes = [];
  /** @type {string[]} */
  const problems = [];
  const model = agentModel(({ prompt, tools, turn, seen }) => {
    const input = countTokens(JSON.stringify({ prompt, tools }));
    sizes.push(input);
    const [system, task] = prompt;
    if (system.role !== 'system' || !task.content[0].text.startsWith(TASK)) problems.push(`turn ${turn}: no task`);
    if (!arePaired(prompt)) problems.push(`turn ${turn}: a call without its result`);
    const usage = { input, output: 50 };
    if (turn < CALLS) {
      const why = turn % 10 === 0 ? 'because '.repeat(2_000) : undefined;
      const number = { tool: 'page', input: { number: turn, why } };
      return { text: `Page ${turn}.`, calls: turn % 50 === 0 ? [number, number] : [number], usage };
    }
    if (turn === CALLS) return { calls: [{ tool: 'read_result', input: { call: 'c5', limit: 60 } }], usage };
    return { text: String(seen.at(-1)?.output), usage };
  });
  const tools = { page: /** @type {any} */ (page) };
  const agent = kernel.agent({ model, tools, contextTokens: CONTEXT, budget: { steps: CALLS + 10 } });
  const events = await eventsOf(agent.run(TASK, { session: 's' }));
  expect(problems).toEqual([]);
  expect(events.at(-1)).toMatchObject({ outcome: 'done' });
  expect(Math.max(...sizes)).toBeLessThanOrEqual(CONTEXT);
  expect(sizes).toHaveLength(CALLS + 2);
  // c1 and c2 are page 0.
  expect(events.at(-1).text).toContain(`page 3, secret ${3 * 7919}`);
  const compacted = events.filter(({ type }) => type === 'compacted');
  expect(compacted.length).toBeGreaterThan(0);

  const resumed = agentModel(({ prompt, tools: offered }) => {
    sizes.push(countTokens(JSON.stringify({ prompt, tools: offered })));
    return {
      text: prompt
        .filter(({ role }) => role === 'user')
        .map(({ content }) => content[0].text)
        .join('|'),
    };
  });
  const again = await kernel
    .agent({ model: resumed, tools, contextTokens: CONTEXT })
    .run('Which word?', { session: 's' }).result;
  expect(again).toMatchObject({ outcome: 'done', text: `${TASK}|Which word?` });
  expect(sizes.at(-1)).toBeLessThanOrEqual(CONTEXT);
});

test('each prompt extends the previous one where possible, for the caches of providers', async () => {
  const { kernel } = await createKernel();
  const STEPS = 60;
  const note = {
    ...page,
    execute: async (/** @type {{ number: number }} */ { number }) => `note ${number} `.repeat(150),
  };
  let last = '';
  let extended = 0;
  const model = agentModel(({ prompt, turn }) => {
    const sent = JSON.stringify(prompt).slice(0, -1);
    if (sent.startsWith(last)) extended += 1;
    last = sent;
    return turn < STEPS ? { calls: [{ tool: 'note', input: { number: turn } }] } : { text: 'done' };
  });
  const agent = kernel.agent({ model, tools: { note: /** @type {any} */ (note) }, contextTokens: CONTEXT });
  const events = await eventsOf(agent.run('go'));
  const compacted = events.filter(({ type }) => type === 'compacted');
  expect(compacted.length).toBeGreaterThan(1);
  expect(compacted.length).toBeLessThan(STEPS / 3);
  expect(extended).toBe(STEPS + 1 - compacted.length);
});

test('a single result that is too long is shown in part', async () => {
  const { kernel } = await createKernel({ agent: { resultChars: 200_000 } });
  const model = agentModel(({ turn, seen }) => {
    if (turn === 0) return { calls: [{ tool: 'page', input: { number: 1 } }] };
    const { kept, chars, beginning } = seen[0]?.output ?? {};
    if (turn === 1) {
      expect(kept).toBe('c1');
      expect(chars).toBeGreaterThan(100_000);
      expect(beginning).toContain('page 1, secret 7919');
      return { calls: [{ tool: 'read_result', input: { call: 'c1', offset: 100_000, limit: 50 } }] };
    }
    return { text: String(seen.at(-1)?.output) };
  });
  const tools = { page: /** @type {any} */ (page) };
  const result = await kernel.agent({ model, tools, contextTokens: 16_000 }).run('go').result;
  expect(result).toMatchObject({ outcome: 'done', text: expect.stringContaining('Continue with offset: 100050') });
});

test('a task that does not fit is refused, not truncated', async () => {
  const { kernel } = await createKernel();
  const model = agentModel([]);
  const result = await kernel.agent({ model, contextTokens: 8_000 }).run('word '.repeat(20_000)).result;
  expect(result).toMatchObject({
    outcome: 'failed',
    error: { code: 'ERR_LIMIT', message: expect.stringContaining('contextTokens') },
  });
  expect(model.doStreamCalls).toEqual([]);
});

test('read_result reports an unknown call', async () => {
  const { kernel } = await createKernel();
  const model = agentModel(({ turn, seen }) =>
    turn === 0 ? { calls: [{ tool: 'read_result', input: { call: 'c99' } }] } : { text: String(seen[0]?.output) },
  );
  const result = await kernel.agent({ model }).run('go').result;
  expect(result.text).toContain('There is no call "c99"');
});
