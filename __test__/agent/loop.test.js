/** The agent loop: calls are made in order and reported in order, and invalid calls are not made. */

import { describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { agentModel, eventsOf } from '../helpers/agent_model.js';
import { createKernel } from '../helpers/create_kernel.js';

const TOOL = 'export default async (args: { x: number }) => args.x + 1;';
const wait = (/** @type {number} */ ms) => new Promise((done) => setTimeout(done, ms));

/** Forges a tool, calls it by its name, and answers. */
const forging = () =>
  agentModel([
    {
      text: 'First the tool.',
      calls: [{ tool: 'write_file', input: { path: 'tools/add.ts', content: TOOL } }],
      usage: { input: 200, output: 8 },
    },
    { calls: [{ tool: 'add', input: { x: 4 } }], usage: { input: 300, output: 12 } },
    { text: 'It is 5.', usage: { input: 600, output: 10, cached: 100 } },
  ]);

test('a task leads to a forged tool, its result and an answer, with events in order', async () => {
  const { kernel } = await createKernel();
  const agent = kernel.agent({ model: forging(), prices: { input: 10, output: 100, cachedInput: 1 } });
  const run = agent.run('What is 4 + 1?', { session: 'sum' });
  const events = await eventsOf(run);
  const order = events.map(({ type }) => type).filter((type) => type !== 'text');
  expect(order).toEqual([
    'start',
    'usage',
    'tool_call',
    'tool_result',
    'usage',
    'tool_call',
    'tool_result',
    'usage',
    'end',
  ]);
  const texts = events.filter(({ type, step }) => type === 'text' && step === 3);
  expect(texts.map(({ text }) => text).join('')).toBe('It is 5.');
  expect(events.indexOf(texts[0])).toBeGreaterThan(events.findLastIndex(({ type }) => type === 'tool_result'));
  const result = await run.result;
  expect(events.at(-1)).toEqual({ type: 'end', ...result });
  expect(result).toMatchObject({ session: 'sum', outcome: 'done', text: 'It is 5.' });
  expect(result.summary).toMatchObject({
    forged: ['tools/add.ts'],
    reused: [],
    calls: 2,
    steps: 3,
    tokens: { input: 1100, output: 30, total: 1130 },
    money: (1000 * 10 + 100 * 1 + 30 * 100) / 1_000_000,
  });
  const again = agentModel([{ calls: [{ tool: 'exec_tool', input: { path: 'tools/add.ts', args: { x: 1 } } }] }]);
  const second = await kernel.agent({ model: again }).run('And 1 + 1?').result;
  expect(second.summary).toMatchObject({ forged: [], reused: ['tools/add.ts'] });
});

test('a slow reader gets the same events in the same order, without gaps', async () => {
  const script = () =>
    agentModel(({ turn }) =>
      turn < 4
        ? { text: 'x'.repeat(60), calls: [{ tool: 'list_files', input: { dir: `tools/${turn}` } }] }
        : { text: 'done' },
    );
  const { kernel } = await createKernel();
  const quick = await eventsOf(kernel.agent({ model: script() }).run('go', { session: 'a' }));
  const slow = await eventsOf(kernel.agent({ model: script() }).run('go', { session: 'b' }), () => wait(2));
  const shown = (/** @type {any[]} */ events) => events.map(({ session: _, ms: __, summary: ___, ...event }) => event);
  expect(shown(slow)).toEqual(shown(quick));
  expect(quick.length).toBeGreaterThan(250);
});

test('the run pauses while its reader does not read, and continues with it', async () => {
  const { kernel } = await createKernel();
  let lastTurn = 0;
  const model = agentModel(({ turn }) => {
    lastTurn = turn;
    return turn < 50 ? { text: 'abcdefgh', calls: [{ tool: 'list_files', input: { dir: '' } }] } : { text: 'done' };
  });
  const run = kernel.agent({ model }).run('go');
  const events = run[Symbol.asyncIterator]();
  await events.next();
  await wait(300);
  expect(lastTurn).toBeLessThan(10);
  const rest = [];
  for (let next = await events.next(); !next.done; next = await events.next()) rest.push(next.value);
  expect(rest.at(-1)).toMatchObject({ type: 'end', outcome: 'done' });
  expect(lastTurn).toBe(50);
});

test('the result is available without reading events', async () => {
  const { kernel } = await createKernel();
  const model = agentModel(({ turn }) =>
    turn < 30 ? { text: 'abcdefgh', calls: [{ tool: 'list_files', input: { dir: '' } }] } : { text: 'done' },
  );
  expect(await kernel.agent({ model }).run('go').result).toMatchObject({ outcome: 'done', text: 'done' });
});

test('leaving the iteration over the events interrupts the run', async () => {
  const { kernel } = await createKernel();
  const model = agentModel(() => ({ calls: [{ tool: 'list_files', input: { dir: '' } }] }));
  const run = kernel.agent({ model }).run('go');
  for await (const event of run) if (event.type === 'tool_result') break;
  expect(await run.result).toMatchObject({ outcome: 'interrupted', error: { code: 'ERR_ABORTED' } });
});

test('an interrupted run ends without a reader', async () => {
  const { kernel } = await createKernel();
  const stop = new AbortController();
  const model = agentModel(() => ({ text: 'abcdefgh', calls: [{ tool: 'list_files', input: { dir: '' } }] }));
  const run = kernel.agent({ model }).run('go', { signal: stop.signal });
  const events = run[Symbol.asyncIterator]();
  await events.next();
  await wait(200);
  stop.abort();
  expect(await run.result).toMatchObject({ outcome: 'interrupted' });
  expect(() => run[Symbol.asyncIterator]()).toThrow(/one reader/);
});

test('calls of one turn are made one after the other, in the order of the model', async () => {
  const { kernel } = await createKernel();
  /** @type {string[]} */
  const made = [];
  const slow = {
    description: 'Waits.',
    inputSchema: z.object({ name: z.string(), ms: z.number() }),
    execute: async (/** @type {{ name: string, ms: number }} */ { name, ms }) => {
      made.push(`${name} begins`);
      await wait(ms);
      made.push(`${name} ends`);
      return name;
    },
  };
  const calls = [
    { tool: 'slow', input: { name: 'a', ms: 40 } },
    { tool: 'slow', input: '{"name": "never' },
    { tool: 'slow', input: { name: 'b', ms: 1 } },
  ];
  const model = agentModel([{ calls }, { text: 'ok' }]);
  const run = kernel.agent({ model, tools: { slow: /** @type {any} */ (slow) } }).run('go');
  const events = await eventsOf(run);
  expect(made).toEqual(['a begins', 'a ends', 'b begins', 'b ends']);
  const reported = events.filter(({ type }) => type.startsWith('tool_')).map(({ type, call }) => `${type} ${call}`);
  expect(reported).toEqual(['c1', 'c2', 'c3'].flatMap((call) => [`tool_call ${call}`, `tool_result ${call}`]));
});

describe('invalid calls are not made, and the model gets the error', () => {
  test.each([
    [
      'arguments that are not JSON',
      { tool: 'write_file', input: '{"path": "tools/a.ts", "content": ' },
      'JSON parsing failed',
    ],
    ['arguments that do not fit', { tool: 'write_file', input: { path: 'tools/a.ts' } }, 'content'],
    ['a tool that does not exist', { tool: 'launch_rocket', input: {} }, 'launch_rocket'],
    ['arguments that are not closed', { tool: 'write_file', input: '['.repeat(100_000) }, 'write_file'],
    [
      'nested arguments that are too deep',
      { tool: 'run_code', input: `{"code":"1","args":{"a":${'['.repeat(200)}${']'.repeat(200)}}}` },
      'run_code',
    ],
  ])('%s', async (_, call, text) => {
    const { kernel } = await createKernel();
    /** @type {any} */
    let feedback;
    const model = agentModel(({ turn, seen }) => {
      feedback = seen.at(-1);
      return turn === 0 ? { calls: [call] } : { text: 'I see.' };
    });
    const run = kernel.agent({ model }).run('go', { session: 's' });
    const events = await eventsOf(run);
    expect(events.at(-1)).toMatchObject({ outcome: 'done' });
    expect(events.find(({ type }) => type === 'tool_result')).toMatchObject({
      ok: false,
      code: 'ERR_VALIDATION',
    });
    expect(JSON.stringify(feedback.output)).toContain(text);
    const calls = await kernel.ledger.query({ session: 's', type: 'CALL' });
    expect(calls).toEqual([]);
  });
});

test('arguments that are not an object are refused, even for an application tool that accepts anything', async () => {
  const { kernel } = await createKernel();
  const execute = vi.fn(async () => 'done');
  const tools = { anything: /** @type {any} */ ({ description: 'Takes it.', inputSchema: z.any(), execute }) };
  const inputs = ['42', '"text"', 'null', 'true'];
  const model = agentModel([{ calls: inputs.map((input) => ({ tool: 'anything', input })) }, { text: 'I see.' }]);
  const events = await eventsOf(kernel.agent({ model, tools }).run('go', { session: 's' }));
  const error = expect.stringMatching(/not valid JSON, so nothing was done\. Send one JSON object/);
  expect(events.filter(({ type }) => type === 'tool_result')).toMatchObject(
    inputs.map(() => ({ ok: false, code: 'ERR_VALIDATION', error })),
  );
  expect(events.at(-1)).toMatchObject({ outcome: 'done' });
  expect(execute).not.toHaveBeenCalled();
  expect(await kernel.ledger.query({ session: 's', type: 'CALL' })).toEqual([]);
});

test('tools of the application pass the access gate: rules, approval and the ledger apply', async () => {
  const policy = { default: /** @type {const} */ ('allow'), rules: [{ id: 'mail', ask: ['app'] }] };
  const { kernel } = await createKernel({ policy });
  /** @type {unknown[]} */
  const sent = [];
  const mail = {
    description: 'Sends a mail.',
    inputSchema: z.object({ to: z.string() }),
    execute: async (/** @type {{ to: string }} */ { to }) => sent.push(to),
  };
  const model = () => agentModel([{ calls: [{ tool: 'mail', input: { to: 'ann' } }] }, { text: 'ok' }]);
  const tools = { mail: /** @type {any} */ (mail) };
  const no = kernel.agent({ model: model(), tools, approve: () => ({ approved: false, by: 'bob' }) });
  const events = await eventsOf(no.run('mail ann', { session: 'no' }));
  expect(sent).toEqual([]);
  expect(events.filter(({ type }) => type === 'approval')).toMatchObject([
    { state: 'asked', request: { tool: 'mail', effect: 'app' } },
    { state: 'answered', approved: false, by: 'bob' },
  ]);
  expect(events.at(-1)).toMatchObject({ outcome: 'refused' });
  const yes = await kernel.agent({ model: model(), tools, approve: () => true }).run('mail ann', { session: 'yes' })
    .result;
  expect(yes.outcome).toBe('done');
  expect(sent).toEqual(['ann']);
  expect(await kernel.ledger.query({ session: 'yes', type: 'CALL', tool: 'mail' })).toHaveLength(1);
});

test('invalid options are refused at once', async () => {
  const { kernel } = await createKernel();
  const model = forging();
  expect(() => kernel.agent(/** @type {any} */ ({ model, budgets: {} }))).toThrow(/budget/);
  expect(() => kernel.agent({ model, budget: { money: 1 } })).toThrow(/prices/);
  expect(() => kernel.agent({ model, contextTokens: 10 })).toThrow(/contextTokens/);
  expect(() => kernel.agent({ model }).run('')).toThrow(/task/);
  expect(() => kernel.agent({ model }).run(undefined, { resume: true })).toThrow(/session/);
  expect(() => kernel.agent({ model }).run('go', { session: 'a b\n' })).toThrow(/session/);
  const nonsense = await kernel.agent({ model: /** @type {any} */ ({}) }).run('go').result;
  expect(nonsense).toMatchObject({ outcome: 'failed', error: { code: 'ERR_VALIDATION' } });
});

test('a kernel that is shut down ends the run', async () => {
  const { kernel } = await createKernel();
  const model = agentModel(async ({ turn }) => {
    if (turn === 2) await kernel.shutdown();
    return { calls: [{ tool: 'list_files', input: { dir: '' } }] };
  });
  const during = await kernel.agent({ model }).run('go').result;
  expect(during).toMatchObject({ outcome: 'interrupted' });
  const after = await kernel.agent({ model }).run('go').result;
  expect(after).toMatchObject({ outcome: 'interrupted', error: { message: expect.stringContaining('shut down') } });
});

test('an agent with a name gets the prompt for that name', async () => {
  const rule = { id: 'not-ann', deny: ['read', 'run'], paths: ['tools/hidden.ts'], principal: ['agent:ann'] };
  const { kernel, tools } = await createKernel({ policy: { default: 'allow', rules: [rule] } });
  for (const path of ['tools/hidden.ts', 'tools/shown.ts']) await tools.write_file.execute({ path, content: TOOL });
  const promptOf = async (/** @type {string} */ name) => {
    const model = agentModel([{ text: 'Done.' }]);
    const { outcome, error } = await kernel.agent({ model, name }).run('Do it.').result;
    expect({ outcome, error }).toEqual({ outcome: 'done', error: undefined });
    return JSON.stringify(model.doStreamCalls[0].prompt);
  };
  const [ann, ben] = [await promptOf('ann'), await promptOf('ben')];
  expect(ann).toContain('tools/shown.ts');
  expect(ann).not.toContain('tools/hidden.ts');
  expect(ben).toContain('tools/hidden.ts');
});
