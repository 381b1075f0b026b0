/** A whole application: the AI SDK, a kernel, a database, a server and OpenTelemetry's own SDK. */

import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { join } from 'node:path';
import { generateText, stepCountIs } from 'ai';
import * as sdkTest from 'ai/test';
import BetterSqlite3 from 'better-sqlite3';
import { describe, expect, onTestFinished, test } from 'vitest';
import { serveHttp } from '../helpers/http_server.js';
import { sqlKernel } from '../helpers/sql_kernel.js';
import { tempRoot } from '../helpers/temp_root.js';
import { scriptedModel } from '../sdk/scripted_models.js';
import { msOf, recordMetrics, recordSpans, treeOf } from './recorder.js';

const SDK = '6';
const STEPS = 5;
const PRICE = 'tools/price.ts';

/** @param {Partial<import('../../index.js').TGPOptions>} [options] */
async function application(options = {}) {
  const { url } = await serveHttp((_, response) => {
    response.end(JSON.stringify({ rate: 2 }));
  });
  const source = new BetterSqlite3(join(await tempRoot(), 'shop.db'));
  source.exec('CREATE TABLE products (id INTEGER, price REAL); INSERT INTO products VALUES (1, 21)');
  onTestFinished(() => {
    source.close();
  });
  const config = { allowedFetchUrls: [url], sandbox: { timeoutMs: 20_000 } };
  const { kernel, tools, forge } = await sqlKernel(source, { config, ...options });
  await forge(
    `/** The rate of a currency. */
export default async (_args: { currency: string }): Promise<number> => (await (await fetch('${url}/rate')).json()).rate;
`,
    'tools/rate.ts',
  );
  await forge(
    `/** What a product costs in another currency. */
export default async (args: { id: number; currency: string }): Promise<number> => {
  const [product] = await tgp.exec_sql<{ price: number }>('SELECT price FROM products WHERE id = ?', [args.id]);
  if (product === undefined) throw new Error('There is no product ' + args.id + '.');
  const { rate } = await (await fetch('${url}/rate')).json();
  const again: number = await tgp.exec_tool('tools/rate.ts', { currency: args.currency });
  return product.price * (rate + again) / 2;
};
`,
    PRICE,
  );
  const ask = async (/** @type {number} */ id) => {
    const { model } = scriptedModel(SDK, sdkTest, (seen) =>
      seen.length === 0
        ? { call: { name: 'exec_tool', input: { path: PRICE, args: { id, currency: 'CHF' } } } }
        : { say: JSON.stringify(seen[0]?.output) },
    );
    const { text } = await generateText({
      model,
      tools: /** @type {any} */ (tools),
      stopWhen: stepCountIs(STEPS),
      prompt: 'What does it cost?',
      experimental_telemetry: { isEnabled: true, recordInputs: false, recordOutputs: false },
    });
    return JSON.parse(text);
  };
  return { kernel, tools, ask };
}

const TREE = [
  'ai.generateText',
  '  ai.generateText.doGenerate',
  '  ai.toolCall',
  '    execute_tool exec_tool',
  '      compile',
  '      queue',
  '      run',
  '        host_call exec_sql',
  '        host_call fetch',
  '        host_call exec_tool',
  '          host_call fetch',
  '  ai.generateText.doGenerate',
];

describe('one generateText', () => {
  test('with a tool that queries, fetches and runs another tool is one span tree', async () => {
    const { ask, kernel } = await application();
    const { spans } = recordSpans();
    expect(await ask(1)).toMatchObject({ success: true, result: 42 });
    expect(treeOf(spans())).toEqual(TREE);
    expect(new Set(spans().map((span) => span.spanContext().traceId)).size).toBe(1);
    const run = spans().find(({ name }) => name === 'execute_tool exec_tool');
    expect(run?.attributes).toMatchObject({
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'exec_tool',
      'tgp.actor': 'agent',
      'tgp.path': PRICE,
      'tgp.effect': 'run',
      'tgp.ledger.call': expect.stringMatching(/^[0-9a-f]+-\d+$/),
      'tgp.ledger.after': expect.any(Number),
    });
    expect(run?.attributes).not.toHaveProperty('tgp.verdict');
    const events = await kernel.ledger.query({ tool: 'exec_tool', type: 'CALL' });
    expect(events.map(({ call }) => call)).toContain(run?.attributes['tgp.ledger.call']);
  });

  test('has spans within the times of their parents', async () => {
    const { ask } = await application();
    const { spans } = recordSpans();
    await ask(1);
    const byId = new Map(spans().map((span) => [span.spanContext().spanId, span]));
    const ours = spans().filter(({ instrumentationScope }) => instrumentationScope.name === '@tgp/core');
    const inner = ours.filter(({ name }) => !name.startsWith('execute_tool'));
    expect(inner).toHaveLength(7);
    for (const span of inner) {
      const above = byId.get(String(span.parentSpanContext?.spanId));
      expect(msOf(span.endTime)).toBeGreaterThanOrEqual(msOf(span.startTime));
      // The addon measures each time separately.
      expect(msOf(span.startTime)).toBeGreaterThanOrEqual(msOf(above?.startTime ?? [0, 0]) - 1);
      expect(msOf(span.endTime)).toBeLessThanOrEqual(msOf(above?.endTime ?? [0, 0]) + 1);
    }
  });

  test('with a tool that throws has a span with the error, and the model gets the error', async () => {
    const { ask } = await application();
    const { spans } = recordSpans();
    const answer = await ask(9);
    expect(answer).toMatchObject({ success: false, code: 'ERR_TOOL_THROWN' });
    expect(JSON.stringify(answer)).not.toContain('"trace"');
    const run = spans().find(({ name }) => name === 'execute_tool exec_tool');
    expect(run).toMatchObject({ status: { code: 2 }, attributes: { 'error.type': 'ERR_TOOL_THROWN' } });
    expect(treeOf(spans())).toContain('        host_call exec_sql');
  });
});

test.each([
  { telemetry: undefined, included: false },
  { telemetry: { contents: true }, included: true },
])('contents are in spans if the application enables them: $included', async ({ telemetry, included }) => {
  const { ask } = await application({ telemetry });
  const { spans } = recordSpans();
  await ask(1);
  const ours = spans().filter(({ instrumentationScope }) => instrumentationScope.name === '@tgp/core');
  expect(JSON.stringify(ours.map(({ attributes }) => attributes)).includes('CHF')).toBe(included);
});

test('telemetry: false reports nothing', async () => {
  const { ask } = await application({ telemetry: false });
  const { spans } = recordSpans();
  await ask(1);
  expect(spans().map(({ name }) => name)).toEqual(
    expect.not.arrayContaining([expect.stringContaining('execute_tool')]),
  );
});

test('every call of a kernel tool has a span and a message on the channel', async () => {
  const { tools } = await application();
  const { spans } = recordSpans();
  const read = recordMetrics();
  /** @type {any[]} */
  const messages = [];
  const listener = (/** @type {unknown} */ message) => {
    messages.push(message);
  };
  subscribe('tgp:call', listener);
  onTestFinished(() => {
    unsubscribe('tgp:call', listener);
  });
  await tools.list_files.execute({ dir: 'tools' });
  await tools.read_file.execute({ path: PRICE });
  await tools.patch_file.execute({ path: PRICE, search: '/ 2', replace: '/ 2.0' });
  await tools.find_tool.execute({ query: 'price of a product' });
  await tools.search_files.execute({ pattern: 'rate' });
  await tools.file_history.execute({ path: PRICE });
  await tools.check_tool.execute({ path: PRICE });
  await tools.exec_tool.execute({ path: PRICE, args: { id: 1, currency: 'CHF' } });
  await tools.run_code.execute({ code: 'export default (): number => 1;', args: {} });
  await tools.read_file.execute({ path: 'tools/none.ts' }).catch(() => {});
  const names = [
    ...['list_files', 'read_file', 'patch_file', 'find_tool', 'search_files', 'file_history', 'check_tool'],
    ...['exec_tool', 'run_code', 'read_file'],
  ];
  expect(messages.map(({ tool }) => tool)).toEqual(names);
  expect(messages.at(-1)).toMatchObject({ ok: false, code: 'ERR_NOT_FOUND', actor: 'agent' });
  expect(spans().filter(({ name }) => name.startsWith('execute_tool'))).toHaveLength(names.length);
  const counted = await read();
  expect(counted['tgp.runs']).toHaveLength(2);
  expect(counted['tgp.failures']).toEqual([
    { 'gen_ai.tool.name': 'read_file', 'error.type': 'ERR_NOT_FOUND', value: 1 },
  ]);
});
