/** Mistakes of models, tools and applications: the run ends or the model gets the error, and nothing else is blocked. */

import { expect, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';
import { agentModel, eventsOf } from '../helpers/agent_model.js';
import { createKernel } from '../helpers/create_kernel.js';

const LIST = { tool: 'list_files', input: { dir: '' } };
const never = () => new Promise(() => {});
const once = (/** @type {any[]} */ ...calls) =>
  agentModel(({ turn }) => (turn === 0 ? { calls } : { text: 'That is all.' }));
/** @param {any} execute @param {any} [inputSchema] */
const own = (execute, inputSchema = z.object({})) =>
  /** @type {any} */ ({ description: 'One of the application.', inputSchema, execute });
/** A model that sends the part endlessly. @param {any} part */
const flood = (part) => {
  const model = agentModel(() => ({ text: '' }));
  const stream = () => new ReadableStream({ pull: (controller) => controller.enqueue(part) });
  return Object.assign(model, { doStream: async () => ({ stream: stream() }) });
};

test.each(['constructor', '__proto__', 'toString', 'hasOwnProperty'])('a call of %s is refused', async (tool) => {
  const { kernel } = await createKernel();
  const events = await eventsOf(kernel.agent({ model: once({ tool, input: {} }, LIST) }).run('go'));
  expect(events.filter(({ type }) => type === 'tool_result')).toMatchObject([
    { tool, ok: false, error: expect.stringContaining(tool) },
    { tool: 'list_files', ok: true },
  ]);
  expect(events.at(-1)).toMatchObject({ outcome: 'done', text: 'That is all.' });
});

test('the model gets advice for arguments that are nested too deeply', async () => {
  const { kernel } = await createKernel();
  const model = once({ tool: 'list_files', input: `{"dir":${'['.repeat(100)}${']'.repeat(100)}}` });
  await kernel.agent({ model }).run('go').result;
  expect(JSON.stringify(model.doStreamCalls.at(-1)?.prompt)).toMatch(/nested more than 64 deep. Make them flatter/);
});

test('a shutdown interrupts a run that waits for its model, and the session can be resumed', async () => {
  const { kernel } = await createKernel();
  let isRequested = false;
  const model = agentModel(() => {
    isRequested = true;
    return /** @type {any} */ (never());
  });
  const run = kernel.agent({ model }).run('go', { session: 's' });
  const events = eventsOf(run);
  await vi.waitFor(() => expect(isRequested).toBe(true), { timeout: 20_000 });
  await kernel.shutdown();
  expect((await events).at(-1)).toMatchObject({ outcome: 'interrupted' });
  await kernel.boot();
  expect(await kernel.sessions.get('s')).toMatchObject({ state: 'open', outcome: 'interrupted' });
});

test('a call that ignores its signal does not delay an interrupted run', async () => {
  const { kernel } = await createKernel();
  let isCalled = false;
  const slow = own(() => {
    isCalled = true;
    return never();
  });
  const stop = new AbortController();
  const agent = kernel.agent({ model: once({ tool: 'slow', input: {} }), tools: { slow } });
  const { result } = agent.run('go', { session: 's', signal: stop.signal });
  await vi.waitFor(() => expect(isCalled).toBe(true), { timeout: 20_000 });
  stop.abort();
  expect(await result).toMatchObject({
    outcome: 'interrupted',
    error: { message: expect.stringContaining('resumed') },
  });
});

test('a run with an aborted signal does not start and cannot be resumed', async () => {
  const { kernel } = await createKernel();
  const { result } = kernel.agent({ model: once() }).run('go', { signal: AbortSignal.abort() });
  expect(await result).toMatchObject({
    outcome: 'interrupted',
    error: { message: expect.stringContaining('had not started') },
  });
});

test.each([
  ['another model', { other: { input: 1, output: 2 } }],
  ['none', {}],
])('a budget of money with prices of %s is refused', async (_, prices) => {
  const { kernel } = await createKernel();
  const model = once();
  expect(await kernel.agent({ model, prices, budget: { money: 1 } }).run('go').result).toMatchObject({
    outcome: 'failed',
    error: { code: 'ERR_VALIDATION', message: expect.stringContaining('scripted') },
  });
  expect(model.doStreamCalls).toEqual([]);
});

test('tokens are estimated if the provider reports none', async () => {
  const { kernel } = await createKernel();
  const model = agentModel(() => ({ calls: [LIST], usage: { input: 0, output: 0 } }));
  const result = await kernel.agent({ model, budget: { tokens: 20_000, steps: 60 } }).run('go').result;
  expect(result).toMatchObject({ outcome: 'budget', error: { message: expect.stringContaining('budget.tokens') } });
});

test.each([
  ['ignored parts', { type: 'raw', rawValue: 'x' }],
  ['empty text', { type: 'text-delta', id: '1', delta: '' }],
])('a model that sends %s endlessly does not block the process', async (_, part) => {
  const { kernel } = await createKernel();
  let ticks = 0;
  const timer = setInterval(() => {
    ticks += 1;
  }, 10);
  onTestFinished(() => clearInterval(timer));
  const { outcome } = await kernel.agent({ model: flood(part), budget: { ms: 300 } }).run('go').result;
  expect(outcome).toBe('budget');
  expect(ticks).toBeGreaterThan(3);
});

test('a turn with too many calls fails before it is complete', async () => {
  const { kernel } = await createKernel();
  const part = { type: 'tool-call', toolCallId: 'c', toolName: 'list_files', input: '{}' };
  expect(await kernel.agent({ model: flood(part) }).run('go').result).toMatchObject({
    outcome: 'failed',
    error: { code: 'ERR_LIMIT', message: expect.stringContaining('200 calls') },
  });
});

test('for a result that is not JSON, the error states that the call was made', async () => {
  const { kernel } = await createKernel();
  let made = 0;
  const charge = own(() => {
    made += 1;
    const circle = /** @type {any} */ ({});
    circle.circle = circle;
    return circle;
  });
  const run = kernel.agent({ model: once({ tool: 'charge', input: {} }), tools: { charge } }).run('go');
  const events = await eventsOf(run);
  expect(events.find(({ type }) => type === 'tool_result')).toMatchObject({
    ok: false,
    code: 'ERR_RESULT',
    error: expect.stringContaining('Do not repeat the call'),
  });
  expect(made).toBe(1);
});

test('a tool of the application can have a plain JSON Schema', async () => {
  const { kernel } = await createKernel();
  const schema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };
  const twice = own(({ n }) => 2 * n, schema);
  const model = once({ tool: 'twice', input: { n: 21 } }, { tool: 'twice', input: { n: 'many' } });
  const events = await eventsOf(kernel.agent({ model, tools: { twice } }).run('go'));
  expect(events.filter(({ type }) => type === 'tool_result')).toMatchObject([{ ok: true, result: 42 }, { ok: false }]);
  expect(model.doStreamCalls[0]?.tools?.find(({ name }) => name === 'twice')).toMatchObject({ inputSchema: schema });
  const broken = own(() => 1, { type: 'nonsense' });
  expect(await kernel.agent({ model, tools: { broken } }).run('go').result).toMatchObject({
    outcome: 'failed',
    error: { code: 'ERR_VALIDATION', message: expect.stringContaining('"broken"') },
  });
});

test('many calls in one turn cause no warning', async () => {
  const { kernel } = await createKernel();
  /** @type {Error[]} */
  const warnings = [];
  const note = (/** @type {Error} */ warning) => warnings.push(warning);
  process.on('warning', note);
  onTestFinished(() => void process.off('warning', note));
  await kernel.agent({ model: once(...Array(20).fill(LIST)) }).run('go').result;
  expect(warnings).toEqual([]);
});

test('an approver that throws refuses the call, and the error of the run names the call', async () => {
  const { kernel } = await createKernel(
    { policy: 'safe' },
    { logger: { debug() {}, info() {}, warn() {}, error() {} } },
  );
  const approve = () => {
    throw new Error('Slack is down');
  };
  const model = once({ tool: 'write_file', input: { path: 'a.md', content: 'x' } });
  const events = await eventsOf(kernel.agent({ model, approve }).run('go'));
  expect(events.filter(({ type }) => type === 'approval')).toMatchObject([
    { state: 'asked' },
    { state: 'answered', approved: false },
  ]);
  expect(events.at(-1)).toMatchObject({
    outcome: 'refused',
    error: { code: 'ERR_APPROVAL', message: expect.stringContaining('write_file') },
  });
});

test('in a dry run the instructions announce the dry run', async () => {
  const { kernel } = await createKernel();
  const model = once();
  await kernel.agent({ model, dryRun: true }).run('go').result;
  expect(JSON.stringify(model.doStreamCalls[0]?.prompt)).toContain('This is a dry run');
});
