/** The tools with the real client packages of providers, against servers with their streaming protocols. */

import { stepCountIs, streamText } from 'ai';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { createKernel } from '../helpers/create_kernel.js';
import { CLIENTS, KEY } from '../helpers/providers/clients.js';

const path = 'tools/math/sum.ts';
const TOOL = `/**
 * Adds numbers. “Grüße” — ∑ 🧮 "quoted" \\back
 * @param args.of the numbers
 */
export default (args: { of: number[] }): number => args.of.reduce((a, b) => a + b, 0);
`;

afterEach(() => vi.unstubAllEnvs());

/**
 * The parts, errors and text of a conversation.
 * @param {any} model
 * @param {any} tools
 * @param {{ maxRetries?: number }} [options]
 */
async function converse(model, tools, { maxRetries = 2 } = {}) {
  /** @type {unknown[]} */
  const errors = [];
  const { fullStream } = streamText({
    model,
    tools,
    prompt: 'Go.',
    maxRetries,
    stopWhen: stepCountIs(20),
    onError: ({ error }) => void errors.push(error),
  });
  /** @type {any[]} */
  const parts = [];
  try {
    for await (const part of fullStream) parts.push(part);
  } catch (error) {
    // A connection that breaks ends the stream itself.
    errors.push(error);
  }
  const of = (/** @type {string} */ type) => parts.filter((part) => part.type === type);
  const text = of('text-delta').map((part) => part.text);
  return { parts, of, errors, text: text.join(''), pieces: text.length, finish: of('finish').at(-1) };
}

describe.each(CLIENTS)('$name', ({ name, serve }) => {
  test('text is streamed, and usage is as the provider reports it', async () => {
    const { kernelTools } = await tools();
    const { model, server } = await serve([
      { say: 'Forty-two – 42 🧮, as before.', usage: { input: 1234, output: 56 } },
    ]);
    const { text, pieces, finish } = await converse(model, kernelTools);
    expect(text).toBe('Forty-two – 42 🧮, as before.');
    expect(pieces).toBeGreaterThan(2);
    expect(finish).toMatchObject({ finishReason: 'stop', totalUsage: { inputTokens: 1234, outputTokens: 56 } });
    expect(server.problems).toEqual([]);
    expect(server.requests).toHaveLength(1);
    expect(server.requests[0]).toMatchObject({ said: ['Go.'], tools: Object.keys(kernelTools), results: [] });
  });

  test('a tool is forged and run by calls that are streamed in fragments', async () => {
    const { kernelTools, kernel } = await tools();
    const { model, server } = await serve([
      { say: 'I write it.', calls: [{ name: 'write_file', input: { path, content: TOOL } }] },
      { calls: [{ name: 'check_tool', input: { path } }] },
      { calls: [{ name: 'exec_tool', input: { path, args: { of: [20, 22] } } }] },
      { say: '42.' },
    ]);
    const { text, errors } = await converse(model, kernelTools);
    expect(errors).toEqual([]);
    expect(text).toBe('I write it.42.');
    expect(server.problems).toEqual([]);
    const { calls = [], results = [] } = server.requests.at(-1) ?? {};
    expect(calls.map(({ name }) => name)).toEqual(['write_file', 'check_tool', 'exec_tool']);
    expect(JSON.parse(calls[0]?.arguments ?? '')).toEqual({ path, content: TOOL });
    expect(results.map(({ output }) => JSON.parse(output))).toMatchObject([
      { success: true, persisted: true },
      { valid: true },
      { success: true, result: 42 },
    ]);
    expect(await kernel.vfs.readFile(path)).toBe(TOOL);
  });

  test('parallel calls are all made, and each has its own result', async () => {
    const { kernelTools } = await tools();
    const paths = ['notes/a.md', 'notes/b.md', 'notes/c.md'];
    const { model, server } = await serve([
      { calls: paths.map((file) => ({ name: 'write_file', input: { path: file, content: `This is ${file}.\n` } })) },
      { calls: paths.map((file) => ({ name: 'read_file', input: { path: file } })) },
      { say: 'All there.' },
    ]);
    const { errors } = await converse(model, kernelTools);
    expect(errors).toEqual([]);
    expect(server.problems).toEqual([]);
    const { results = [] } = server.requests.at(-1) ?? {};
    expect(results.map(({ id }) => id)).toEqual([0, 1].flatMap((turn) => [0, 1, 2].map((i) => `call_${turn}_${i}`)));
    expect(results.slice(3).map(({ output }) => output)).toEqual(paths.map((file) => `This is ${file}.\n`));
  });

  test('arguments that are not JSON are never executed, and the model gets the error', async () => {
    const { kernelTools, kernel } = await tools();
    const { model, server } = await serve([
      { calls: [{ name: 'write_file', raw: '{"path": "notes/a.md", "content": "half a te' }] },
      { calls: [{ name: 'write_file', input: { path: 'notes/a.md', content: 'whole' } }] },
      { say: 'Done.' },
    ]);
    await converse(model, kernelTools);
    expect(server.problems).toEqual([]);
    expect(server.requests).toHaveLength(3);
    expect(server.requests[1]?.results[0]?.output).toMatch(/invalid|JSON|not valid/i);
    const calls = await kernel.ledger.tail({ type: 'CALL', limit: 50 });
    expect(calls.map(({ tool, path: file }) => `${tool} ${file}`)).toEqual(['write_file notes/a.md']);
    expect(await kernel.vfs.readFile('notes/a.md')).toBe('whole');
  });

  test('a refusal has the finish reason content-filter', async () => {
    const { kernelTools } = await tools();
    const { model } = await serve([{ refuse: 'I cannot help with that.' }]);
    const { text, finish } = await converse(model, kernelTools);
    // @ai-sdk/openai-compatible does not support refusals: the text is empty.
    const isSupported = name !== 'OpenAI compatible';
    expect(text).toBe(isSupported ? 'I cannot help with that.' : '');
    expect(finish).toMatchObject({ finishReason: isSupported ? 'content-filter' : 'stop' });
  });

  test('a rate limit is retried after the time of Retry-After', async () => {
    const { kernelTools } = await tools();
    const { model, server } = await serve([
      { status: 429, headers: { 'retry-after': '0' }, message: 'Slow down.' },
      { say: 'Here.' },
    ]);
    const { text, errors } = await converse(model, kernelTools);
    expect(errors).toEqual([]);
    expect(text).toBe('Here.');
    expect(server.requests).toHaveLength(2);
    expect(server.requests[1]?.body).toEqual(server.requests[0]?.body);
  });

  test('a call whose connection breaks is not executed', async () => {
    const { kernelTools, kernel } = await tools();
    const { model, server } = await serve([
      { calls: [{ name: 'write_file', input: { path: 'notes/a.md', content: 'x'.repeat(500) } }], cutAfter: 20 },
      { say: 'Never asked for.' },
    ]);
    const { errors, parts } = await converse(model, kernelTools);
    expect(errors.length, 'the break is reported').toBeGreaterThan(0);
    expect(parts.filter(({ type }) => type === 'tool-result')).toEqual([]);
    expect(server.requests).toHaveLength(1);
    expect(await kernel.ledger.tail({ type: 'CALL', limit: 50 })).toEqual([]);
  });

  test('a failure inside a stream is reported', async () => {
    const { kernelTools } = await tools();
    const { model } = await serve([{ say: 'Let me', failsWith: 'overloaded_error', message: 'Overloaded' }]);
    const { errors } = await converse(model, kernelTools, { maxRetries: 0 });
    expect(JSON.stringify(errors.map((error) => String(/** @type {any} */ (error)?.message ?? error)))).toMatch(
      /Overloaded/,
    );
  });

  test('a response that is not a stream fails, and ends', async () => {
    const { kernelTools } = await tools();
    const { model } = await serve([{ body: 'data: {"neither": "nor"}\n\ndata: <html>\n\n' }]);
    const { errors, text } = await converse(model, kernelTools, { maxRetries: 0 });
    expect(errors.length).toBeGreaterThan(0);
    expect(text).toBe('');
  });
});

describe.each(CLIENTS.filter(({ name }) => name !== 'OpenAI, Chat Completions'))(
  '$name, resolved by name',
  ({ serve }) => {
    test('no error contains the key, even if the provider repeats it', async () => {
      const { kernelTools } = await tools();
      const { model } = await serve([{ status: 400, message: `Bad key ${KEY}.` }]);
      const { errors } = await converse(model, kernelTools, { maxRetries: 0 });
      const [error] = /** @type {any[]} */ (errors);
      expect(error.message).toBe('Bad key [hidden].');
      expect(error.responseBody).toContain('[hidden]');
      expect(`${error.stack} ${JSON.stringify(error)} ${error.responseBody}`).not.toContain(KEY);
    });

    test('an endless answer is aborted and discarded', async () => {
      const { kernelTools } = await tools();
      const { model } = await serve([{ body: `data: ${'x'.repeat(65 << 20)}` }]);
      const { errors, text } = await converse(model, kernelTools, { maxRetries: 0 });
      expect(text).toBe('');
      expect(errors.map(causes).join()).toContain("The provider's answer is longer than 64 MB.");
    });

    test('no answer contains the key, however it is split', async () => {
      vi.stubEnv('OPENAI_API_KEY', KEY);
      const { kernelTools } = await tools();
      const call = { name: 'write_file', input: { path: 'a.md', content: `The key is ${KEY}.` } };
      const { model } = await serve([
        { say: 'I write.', calls: [call] },
        { say: `Your key is ${KEY}, is it not? ${KEY.slice(0, 9)}` },
      ]);
      const { text, parts } = await converse(model, kernelTools);
      expect(text).toBe(`I write.Your key is [hidden], is it not? ${KEY.slice(0, 9)}`);
      expect(JSON.stringify(parts)).not.toContain(KEY);
      expect(JSON.stringify(parts)).toContain('The key is [hidden].');
    });

    test('a redirect is not followed, so that the key is not sent to another server', async () => {
      const { kernelTools } = await tools();
      const elsewhere = await CLIENTS[0]?.serve([{ say: 'Thank you for the key.' }]);
      const { model } = await serve([{ status: 307, headers: { location: `${elsewhere?.server.url}/v1/messages` } }]);
      const { errors, text } = await converse(model, kernelTools, { maxRetries: 0 });
      expect(text).toBe('');
      expect(errors.length).toBeGreaterThan(0);
      expect([elsewhere?.server.requests, elsewhere?.server.problems]).toEqual([[], []]);
    });

    test('a key in an error within a stream is masked', async () => {
      const { kernelTools } = await tools();
      const { model } = await serve([{ say: 'x', failsWith: 'overloaded_error', message: `No room for ${KEY}.` }]);
      const { errors } = await converse(model, kernelTools, { maxRetries: 0 });
      expect(errors.length).toBeGreaterThan(0);
      for (const error of /** @type {any[]} */ (errors)) {
        expect(`${error?.message ?? error} ${error?.stack} ${JSON.stringify(error)}`).not.toContain(KEY);
      }
    });
  },
);

test('requests to OpenAI disable storage, so that no request refers to an incomplete answer', async () => {
  const { kernelTools } = await tools();
  const [responses] = CLIENTS;
  const { model, server } = await /** @type {any} */ (responses).serve([
    { say: 'First.', calls: [{ name: 'list_files', input: { dir: '.' } }] },
    { say: 'Done.' },
  ]);
  await converse(model, kernelTools);
  expect(server.requests.map(({ body }) => body.store)).toEqual([false, false]);
  expect(JSON.stringify(server.requests[1]?.body.input)).not.toContain('item_reference');
});

async function tools() {
  const { kernel, tools: kernelTools } = await createKernel();
  return { kernel, kernelTools };
}

/**
 * The messages of an error and of its causes.
 * @param {any} error
 * @returns {string}
 */
function causes(error) {
  return error === undefined ? '' : `${error.message ?? error} ${causes(error.cause)}`;
}
