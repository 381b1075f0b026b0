import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { handleToolCall, toAnthropicTools, toLangChainTools, toOpenAIAgentsTools, toOpenAITools } from '../../index.js';
import { installedPackages } from '../../tools/installed_packages.mjs';
import { createKernel } from '../helpers/create_kernel.js';
import { providerServer } from '../helpers/provider_server.js';
import { strictTypeScript } from '../helpers/strict_typescript.js';

const MINUTES = 60_000;
const PACKAGES = {
  openai: '7.53.0',
  '@anthropic-ai/sdk': '1.8.0',
  '@langchain/core': '1.2.13',
  '@openai/agents': '0.20.0',
  zod: '4.6.7',
};

const path = 'tools/math/sum.ts';
const DRAFT = 'export default (args: { of: number[] }): number => args.of.reduce((a, b) => a + b));';
const MOVES = [
  { call: { name: 'write_file', input: { path, content: DRAFT } } },
  { call: { name: 'check_tool', input: { path } } },
  { call: { name: 'patch_file', input: { path, search: 'a + b));', replace: 'a + b);' } } },
  { call: { name: 'exec_tool', input: { path, args: { of: [20, 22] } } } },
  { call: { name: 'exec_tool', input: { path, args: { of: [] } } } },
  { call: { name: 'read_file', input: { path: 'tools/none.ts' } } },
  { say: 'done' },
];

/** @type {any} */
let packages;
/** @type {string} */
let folder;

beforeAll(async () => {
  folder = installedPackages('tgp-providers', PACKAGES);
  const entry = join(folder, 'entry.mjs');
  await writeFile(
    entry,
    `export { default as OpenAI } from 'openai';
export { default as Anthropic } from '@anthropic-ai/sdk';
export { tool as langChainTool } from '@langchain/core/tools';
export { AIMessage, coerceMessageLikeToMessage } from '@langchain/core/messages';
export { convertToOpenAITool } from '@langchain/core/utils/function_calling';
export { Agent, run, tool as agentsTool, OpenAIChatCompletionsModel, OpenAIResponsesModel, setTracingDisabled } from '@openai/agents';
`,
  );
  packages = await import(pathToFileURL(entry).href);
  packages.setTracingDisabled(true);
}, 5 * MINUTES);

/** @param {string[]} results in the prompt of the model, one text per move */
function expectForged(results) {
  expect(results).toHaveLength(6);
  const [written, checked, patched, ran, threw, missing] = results.map(String);
  expect(JSON.parse(written)).toMatchObject({ success: true, persisted: true });
  expect(checked).toMatch(/^\{"help":"The tool is not valid\./);
  expect(JSON.parse(checked)).toMatchObject({ valid: false, errors: [expect.stringMatching(/^line 1:/)] });
  expect(JSON.parse(patched)).toMatchObject({ success: true });
  expect(JSON.parse(ran)).toMatchObject({ success: true, result: 42 });
  expect(threw).toMatch(/^\{"help":"The tool threw\./);
  expect(JSON.parse(threw)).toMatchObject({ success: false, code: 'ERR_TOOL_THROWN', line: 1 });
  expect(missing).toContain('ERR_NOT_FOUND');
}

describe('the openai client', () => {
  test('Chat Completions: a model forges and runs a tool', async () => {
    const { tools } = await createKernel();
    const { url, record } = await providerServer(MOVES);
    const client = new packages.OpenAI({ apiKey: 'none', baseURL: `${url}/v1`, maxRetries: 0 });
    /** @type {any[]} */
    const messages = [{ role: 'user', content: 'Go.' }];
    for (;;) {
      const request = { model: 'scripted', messages, tools: toOpenAITools(tools) };
      const { message } = (await client.chat.completions.create(request)).choices[0];
      messages.push(message);
      if (!message.tool_calls) break;
      for (const call of message.tool_calls) messages.push(await handleToolCall(tools, call));
    }
    expect(messages.at(-1).content).toBe('done');
    expect(record.tools.map((sent) => sent.function.name)).toEqual(Object.keys(tools));
    expectForged(record.results);
  });

  test('Responses: a model forges and runs a tool', async () => {
    const { tools } = await createKernel();
    const { url, record } = await providerServer(MOVES);
    const client = new packages.OpenAI({ apiKey: 'none', baseURL: `${url}/v1`, maxRetries: 0 });
    /** @type {any[]} */
    const input = [{ role: 'user', content: 'Go.' }];
    for (;;) {
      const request = { model: 'scripted', input, tools: toOpenAITools(tools, { api: 'responses' }) };
      const { output, output_text: text } = await client.responses.create(request);
      input.push(...output);
      const calls = output.filter((/** @type {any} */ item) => item.type === 'function_call');
      if (calls.length === 0) {
        expect(text).toBe('done');
        break;
      }
      for (const call of calls) input.push(await handleToolCall(tools, call));
    }
    expect(record.tools[0]).toMatchObject({ type: 'function', name: 'list_files', strict: false });
    expectForged(record.results);
  });
});

test('the Anthropic client: a model forges and runs a tool', async () => {
  const { tools } = await createKernel();
  const { url, record } = await providerServer(MOVES);
  const client = new packages.Anthropic({ apiKey: 'none', baseURL: url, maxRetries: 0 });
  /** @type {any[]} */
  const messages = [{ role: 'user', content: 'Go.' }];
  for (;;) {
    const request = { model: 'scripted', max_tokens: 100, messages, tools: toAnthropicTools(tools) };
    const { content } = await client.messages.create(request);
    messages.push({ role: 'assistant', content });
    const calls = content.filter((/** @type {any} */ block) => block.type === 'tool_use');
    if (calls.length === 0) break;
    const results = await Promise.all(calls.map((/** @type {any} */ call) => handleToolCall(tools, call)));
    messages.push({ role: 'user', content: results });
  }
  expect(messages.at(-1).content).toEqual([{ type: 'text', text: 'done' }]);
  const answers = messages.flatMap(({ role, content }) => (role === 'user' && Array.isArray(content) ? content : []));
  expect(answers.map((answer) => answer.is_error)).toEqual([false, false, false, false, true, true]);
  expect(record.tools[0].input_schema).toMatchObject({ type: 'object', required: ['dir'] });
  expectForged(record.results);
});

describe('the OpenAI Agents SDK', () => {
  test.each(['OpenAIChatCompletionsModel', 'OpenAIResponsesModel'])(
    '%s: an agent forges and runs a tool',
    async (kind) => {
      const { tools } = await createKernel();
      const { url, record } = await providerServer(MOVES);
      const client = new packages.OpenAI({ apiKey: 'none', baseURL: `${url}/v1`, maxRetries: 0 });
      const agent = new packages.Agent({
        name: 'Smith',
        model: new packages[kind](client, 'scripted'),
        tools: toOpenAIAgentsTools(tools, packages.agentsTool),
      });
      const { finalOutput } = await packages.run(agent, 'Go.', { maxTurns: 20 });
      expect(finalOutput).toBe('done');
      expectForged(record.results);
    },
  );
});

describe('LangChain', () => {
  test('toLangChainTools: the tools run the calls of a message', async () => {
    const { tools } = await createKernel();
    const made = toLangChainTools(tools, packages.langChainTool);
    expect(packages.convertToOpenAITool(made[0])).toMatchObject({
      function: { name: 'list_files', parameters: { required: ['dir'] } },
    });
    const results = [];
    for (const [index, move] of MOVES.entries()) {
      if (!('call' in move)) break;
      const { name, input: args } = /** @type {any} */ (move.call);
      const message = new packages.AIMessage({ content: '', tool_calls: [{ id: String(index), name, args }] });
      const [call] = message.tool_calls;
      const answer = await made.find((tool) => tool.name === name).invoke({ ...call, type: 'tool_call' });
      expect(answer.tool_call_id).toBe(String(index));
      results.push(answer.content);
    }
    expectForged(results);
  });

  test('a failed or denied tool call returns an error message; an invocation without an id returns a text', async () => {
    const { tools } = await createKernel({ policy: { default: 'allow', rules: [{ id: 'closed', deny: ['write'] }] } });
    const made = toLangChainTools(tools, packages.langChainTool);
    const invoke = (/** @type {string} */ name, /** @type {object} */ args) =>
      made.find((tool) => tool.name === name).invoke({ id: 'call_7', name, args, type: 'tool_call' });
    for (const [name, args] of /** @type {[string, object][]} */ ([
      ['write_file', { path: 'tools/a.ts', content: 'return 1' }],
      ['exec_tool', { path: 'tools/none.ts', args: {} }],
    ])) {
      const message = await invoke(name, args);
      expect(message.getType()).toBe('tool');
      expect(message, name).toMatchObject({
        status: 'error',
        tool_call_id: 'call_7',
        name,
        content: expect.stringContaining('ERR_'),
      });
    }
    expect(await invoke('list_files', { dir: '.' })).toMatchObject({ status: 'success' });
    const plain = await made.find((tool) => tool.name === 'write_file').invoke({ path: 'a.ts', content: 'return 1' });
    expect(plain).toContain('ERR_DENIED');
  });

  test('handleToolCall returns a message that LangChain accepts', async () => {
    const { tools } = await createKernel();
    const answer = await handleToolCall(tools, { id: '1', name: 'read_file', args: { path: 'tools/none.ts' } });
    const message = packages.coerceMessageLikeToMessage(answer);
    expect(message.getType()).toBe('tool');
    expect(message).toMatchObject({
      tool_call_id: '1',
      status: 'error',
      content: expect.stringContaining('File not found'),
    });
  });
});

test('forged tools are tools of the OpenAI Agents SDK and of LangChain', async () => {
  const { kernel, tools } = await createKernel();
  const content = '/** Doubles. */ export default (args: { n: number }): number => args.n * 2';
  await tools.write_file.execute({ path: 'tools/math/twice.ts', content });
  const forged = await kernel.tools();
  const [made] = toLangChainTools(forged, packages.langChainTool);
  expect(packages.convertToOpenAITool(made)).toMatchObject({
    function: { name: 'math_twice', parameters: { required: ['n'] } },
  });
  expect(JSON.parse(await made.invoke({ n: 21 }))).toMatchObject({ success: true, result: 42 });
  const { url, record } = await providerServer([
    { call: { name: 'math_twice', input: { n: 4 } } },
    { call: { name: 'math_twice', input: { n: 'four' } } },
    { say: 'done' },
  ]);
  const client = new packages.OpenAI({ apiKey: 'none', baseURL: `${url}/v1`, maxRetries: 0 });
  const agent = new packages.Agent({
    name: 'Smith',
    model: new packages.OpenAIChatCompletionsModel(client, 'scripted'),
    tools: toOpenAIAgentsTools(forged, packages.agentsTool),
  });
  await packages.run(agent, 'Go.');
  expect(JSON.parse(String(record.results[0]))).toMatchObject({ success: true, result: 8 });
  expect(record.results[1]).toContain('"n" is not valid');
});

describe('handleToolCall', () => {
  const call = (/** @type {string} */ name, /** @type {string} */ text) =>
    /** @type {const} */ ({ id: '1', type: 'function', function: { name, arguments: text } });

  test('bounds results, with a note on how to continue', async () => {
    const { tools } = await createKernel();
    await tools.write_file.execute({ path: 'long.txt', content: `${'x'.repeat(699)}😀${'y'.repeat(50_000)}` });
    const { content } = await handleToolCall(tools, call('read_file', '{"path":"long.txt"}'), { maxChars: 1000 });
    expect(content.length).toBeLessThanOrEqual(1000);
    expect(content, 'no lone surrogate is left').toMatch(/^x{699}\n\[Line 1 of 1 continues: /);
    expect(content).toContain('Continue with offset: 1, column: 700.');
    const whole = await handleToolCall(tools, call('read_file', '{"path":"long.txt"}'));
    expect(whole.content.length).toBeLessThanOrEqual(16_000);
  });

  test.each([
    ['an unknown tool', 'rm_rf', '{}', 'There is no tool "rm_rf". Available tools: list_files, '],
    ['an inherited name', 'toString', '{}', 'There is no tool "toString".'],
    ['arguments that are not JSON', 'read_file', '{', 'not valid JSON'],
    ['missing arguments', 'read_file', '', '"path" is missing'],
  ])('reports %s to the model', async (_, name, text, expected) => {
    const { tools } = await createKernel();
    const { content } = await handleToolCall(tools, call(name, text));
    expect(content).toContain(expected);
    expect(content).toContain('[ERR_VALIDATION]');
  });

  test('rejects on an abort, and for a value that is not a call', async () => {
    const { tools } = await createKernel();
    const aborted = handleToolCall(tools, call('list_files', '{"dir":"."}'), { abortSignal: AbortSignal.abort() });
    await expect(aborted).rejects.toMatchObject({ code: 'ERR_ABORTED' });
    const wrong = /** @type {any} */ ({ type: 'custom' });
    await expect(handleToolCall(tools, wrong)).rejects.toMatchObject({ code: 'ERR_VALIDATION' });
  });

  test('stops a run on an abort', async () => {
    const { tools } = await createKernel({ sandbox: { timeoutMs: 20_000 } });
    await tools.write_file.execute({ path: 'tools/loop.ts', content: 'while (true) {}' });
    const controller = new AbortController();
    const looping = handleToolCall(tools, call('exec_tool', '{"path":"tools/loop.ts"}'), {
      abortSignal: controller.signal,
    });
    setTimeout(() => controller.abort(), 100);
    await expect(looping).rejects.toMatchObject({ code: 'ERR_ABORTED' });
  });
});

/** A strict application on the four packages. */
const TYPED = `
import Anthropic from '@anthropic-ai/sdk';
import { handleToolCall, TGP, tgpTools, toAnthropicTools, toLangChainTools, toOpenAIAgentsTools, toOpenAITools } from '@tgp/core';
import type { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { tool as langChainTool } from '@langchain/core/tools';
import { Agent, tool as agentsTool } from '@openai/agents';
import OpenAI from 'openai';

const tools = tgpTools(new TGP());

export async function chat(client: OpenAI, messages: OpenAI.ChatCompletionMessageParam[]) {
  const request = { model: 'gpt', messages, tools: toOpenAITools(tools) };
  const message = (await client.chat.completions.create(request)).choices[0]?.message;
  for (const call of message?.tool_calls ?? []) {
    if (call.type === 'function') messages.push(await handleToolCall(tools, call));
  }
}

export async function responses(client: OpenAI, input: OpenAI.Responses.ResponseInput) {
  const request = { model: 'gpt', input, tools: toOpenAITools(tools, { api: 'responses' }) };
  const { output } = await client.responses.create(request);
  for (const item of output) if (item.type === 'function_call') input.push(await handleToolCall(tools, item));
}

export async function messages(client: Anthropic, history: Anthropic.MessageParam[]) {
  const { content } = await client.messages.create({
    model: 'claude',
    max_tokens: 100,
    messages: history,
    tools: toAnthropicTools(tools),
  });
  for (const block of content) {
    if (block.type === 'tool_use') history.push({ role: 'user', content: [await handleToolCall(tools, block)] });
  }
}

export const agent = new Agent({ name: 'Smith', tools: toOpenAIAgentsTools(tools, agentsTool) });

export async function langChain(model: BaseChatModel) {
  const answer = await model.bindTools?.(toLangChainTools(tools, langChainTool)).invoke('Go.');
  return answer?.tool_calls?.map((call) => handleToolCall(tools, call));
}
`;

test(
  'an application on the four packages compiles in strict TypeScript',
  async () => {
    expect(await strictTypeScript(folder, 'app', TYPED)).toBe('');
  },
  2 * MINUTES,
);
