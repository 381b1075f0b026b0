import { asSchema, generateText, stepCountIs } from 'ai';
import { MockLanguageModelV3 } from 'ai/test';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { universalSchema } from '../dist/tool_shape/universal_schema.js';
import { TGP, tgpTools, toAnthropicTools, toOpenAITools, ValidationError } from '../index.js';

const params = z.strictObject({ path: z.string().min(1).describe('Where.'), limit: z.int().optional() });
const schema = universalSchema(params, 'find');
const expected = {
  type: 'object',
  properties: {
    path: { type: 'string', minLength: 1, description: 'Where.' },
    limit: { type: 'integer', minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
  },
  required: ['path'],
  additionalProperties: false,
};

describe('the universal schema', () => {
  test('is a plain JSON Schema when it is copied or sent', () => {
    expect(JSON.parse(JSON.stringify(schema))).toEqual(expected);
    expect({ ...schema }).toEqual(expected);
    expect(structuredClone(schema)).toEqual(expected);
  });

  test('is a schema of the AI SDK', async () => {
    const seen = asSchema(schema);
    expect(seen).toBe(schema);
    expect(await seen.jsonSchema).toEqual(expected);
    expect(await seen.validate?.({ path: 'a' })).toEqual({ success: true, value: { path: 'a' } });
    expect(schema[Symbol.for('vercel.ai.validator')]).toBe(true);
  });

  test('is a Standard Schema', async () => {
    const standard = schema['~standard'];
    expect(standard).toMatchObject({ version: 1, vendor: 'tgp' });
    expect(await standard.validate({ path: 'a' })).toEqual({ value: { path: 'a' } });
    expect(await standard.validate({ path: 1 })).toEqual({ issues: [{ message: expect.stringContaining('"path"') }] });
    expect(standard.jsonSchema.input({ target: 'draft-07' })).toEqual(expected);
  });

  test.each([
    ['a missing field', {}, '"path" is missing'],
    ['a field of the wrong type', { path: 1 }, '"path" is not valid'],
    ['an unknown field', { path: 'a', limt: 1 }, '"limt" is not known, did you mean "limit"?'],
    ['a value that is not an object', 'path', 'the value is not valid'],
  ])('names the field of %s', (_, value, message) => {
    const outcome = schema.validate(value);
    expect(outcome.success).toBe(false);
    expect(outcome.error).toBeInstanceOf(ValidationError);
    expect(outcome.error.message).toContain('find: ');
    expect(outcome.error.message).toContain(message);
  });
});

describe('the kernel tools', () => {
  const tools = tgpTools(new TGP());

  test.each(Object.entries(tools))('%s carries one schema under both names', (_, { parameters, inputSchema }) => {
    expect(parameters).toBe(inputSchema);
    expect(parameters.type).toBe('object');
  });

  test('refuse wrong arguments by rejecting, before anything runs', async () => {
    /** @type {any} */
    const wrong = { path: 'tools/a.ts' };
    const outcome = tools.write_file.execute(wrong);
    await expect(outcome).rejects.toBeInstanceOf(ValidationError);
    await expect(outcome).rejects.toThrow('"content" is missing');
    await expect(outcome).rejects.toThrow('[ERR_VALIDATION]');
    await expect(outcome).rejects.toMatchObject({ details: { field: 'content' } });
  });

  test('do not start once the signal has fired', async () => {
    const options = { abortSignal: AbortSignal.abort(new Error('enough')) };
    const outcome = tools.list_files.execute({ dir: '.' }, options);
    await expect(outcome).rejects.toMatchObject({ code: 'ERR_ABORTED', cause: { message: 'enough' } });
    expect(await tools.exec_tool.execute({ path: 'tools/a.ts' }, options)).toMatchObject({
      success: false,
      code: 'ERR_ABORTED',
      logs: [],
    });
  });

  test('are sent to a model with their schemas, and report wrong arguments to it', async () => {
    /** @type {any[]} */
    const prompts = [];
    const model = new MockLanguageModelV3({
      doGenerate: async ({ prompt, tools: sent }) => {
        prompts.push({ prompt, sent });
        const usage = /** @type {any} */ ({ inputTokens: {}, outputTokens: {} });
        if (prompts.length > 1) {
          const finishReason = /** @type {const} */ ({ unified: 'stop', raw: 'stop' });
          return { content: [{ type: 'text', text: 'done' }], finishReason, usage, warnings: [] };
        }
        const finishReason = /** @type {const} */ ({ unified: 'tool-calls', raw: 'tool-calls' });
        const input = '{"folder":"tools"}';
        const call = /** @type {const} */ ({ type: 'tool-call', toolCallId: '1', toolName: 'list_files', input });
        return { content: [call], finishReason, usage, warnings: [] };
      },
    });
    const { text } = await generateText({ model, tools: { ...tools }, stopWhen: stepCountIs(3), prompt: 'Go.' });
    expect(text).toBe('done');
    const sent = prompts[0].sent.find((/** @type {any} */ tool) => tool.name === 'list_files');
    expect(sent.inputSchema).toMatchObject({ type: 'object', required: ['dir'], additionalProperties: false });
    expect(JSON.stringify(prompts[1].prompt)).toContain('dir');
  });
});

describe('the adapters', () => {
  const tools = tgpTools(new TGP());

  test('describe every tool to OpenAI', () => {
    const sent = toOpenAITools(tools);
    expect(sent.map((tool) => tool.function.name)).toEqual(Object.keys(tools));
    expect(sent[0]).toMatchObject({ type: 'function', function: { parameters: { required: ['dir'] } } });
  });

  test('describe every tool to Anthropic', () => {
    const sent = toAnthropicTools(tools);
    expect(sent.map((tool) => tool.name)).toEqual(Object.keys(tools));
    expect(sent[0]).toMatchObject({ input_schema: { type: 'object', required: ['dir'] } });
  });
});
