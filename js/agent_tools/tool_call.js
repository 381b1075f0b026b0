import { throwIfAborted } from '../boundary/abort.js';
import { AbortedError, ValidationError } from '../boundary/errors.js';
import { parseForeignJson } from '../boundary/foreign_json.js';
import { nearest } from '../boundary/spelling.js';
import { isBounded } from '../tool_shape/bounded_result.js';
import { modelErrorText, modelText } from './model_text.js';

/**
 * @typedef {import('../../index.js').ToolSet} ToolSet
 * @typedef {import('../../index.js').HandleToolCallOptions} Options
 * @typedef {{ text: string, failed: boolean, shown?: unknown }} Outcome
 * @typedef {object} Dialect the call and result format of one provider
 * @property {(call: any) => boolean} matches
 * @property {(call: any) => { name: string, input: unknown }} read
 * @property {(call: any, outcome: Outcome) => any} answer
 */

/** @type {Dialect[]} */
const DIALECTS = [
  {
    matches: (call) => call.type === 'function' && typeof call.function?.name === 'string',
    read: (call) => ({ name: call.function.name, input: call.function.arguments }),
    answer: (call, { text }) => ({ role: 'tool', tool_call_id: call.id, content: text }),
  },
  {
    matches: (call) => call.type === 'function_call' && typeof call.name === 'string',
    read: (call) => ({ name: call.name, input: call.arguments }),
    answer: (call, { text }) => ({ type: 'function_call_output', call_id: call.call_id, output: text }),
  },
  {
    matches: (call) => call.type === 'tool_use' && typeof call.name === 'string',
    read: (call) => ({ name: call.name, input: call.input }),
    answer: (call, { text, failed }) => ({
      type: 'tool_result',
      tool_use_id: call.id,
      content: text,
      is_error: failed,
    }),
  },
  {
    matches: (call) => (call.type ?? 'tool_call') === 'tool_call' && typeof call.name === 'string' && 'args' in call,
    read: (call) => ({ name: call.name, input: call.args }),
    answer: (call, { text, failed }) => ({
      role: 'tool',
      tool_call_id: call.id ?? '',
      name: call.name,
      content: text,
      status: failed ? 'error' : 'success',
    }),
  },
];

/**
 * @param {ToolSet} tools
 * @param {any} call
 * @param {Options} [options]
 * @returns {Promise<any>}
 */
export async function handleToolCall(tools, call, options = {}) {
  const dialect = DIALECTS.find(({ matches }) => typeof call === 'object' && call !== null && matches(call));
  if (!dialect) {
    throw new ValidationError(
      'handleToolCall: "call" is not an OpenAI (Chat Completions or Responses), Anthropic or LangChain tool call. Pass one call as the provider sent it.',
      { details: { field: 'call' } },
    );
  }
  const { name, input } = dialect.read(call);
  return dialect.answer(call, await runForModel(tools, name, input, options));
}

/**
 * Runs a tool for a model. Every failure becomes text for the model; only an abort by the caller is thrown.
 * @param {ToolSet} tools
 * @param {string} name
 * @param {unknown} input the arguments, or their JSON text
 * @param {Options} options
 * @returns {Promise<Outcome>}
 */
export async function runForModel(tools, name, input, { abortSignal, maxChars }) {
  throwIfAborted(abortSignal);
  try {
    const tool = Object.hasOwn(tools, name) ? tools[name] : undefined;
    if (!tool) throw unknownTool(name, Object.keys(tools));
    const output = await tool.execute(parsed(input, name), {
      abortSignal,
      ...(maxChars !== undefined && { maxChars }),
    });
    // exec_tool reports an abort instead of rejecting.
    throwIfAborted(abortSignal);
    return await modelText(name, output, maxChars ?? (isBounded(tool) ? Number.POSITIVE_INFINITY : undefined));
  } catch (error) {
    return failedForModel(error, maxChars);
  }
}

/**
 * @param {unknown} error
 * @param {number} [maxChars]
 * @returns {Outcome}
 */
export function failedForModel(error, maxChars) {
  if (error instanceof AbortedError) throw error;
  return { text: modelErrorText(error, maxChars), failed: true };
}

/**
 * @param {string} name
 * @param {string[]} names
 */
function unknownTool(name, names) {
  const near = nearest(name, names);
  const question = near === undefined ? '' : ` Did you mean ${near}?`;
  return new ValidationError(`There is no tool "${name}".${question} Available tools: ${names.join(', ')}.`);
}

/**
 * @param {unknown} input
 * @param {string} name
 */
function parsed(input, name) {
  if (typeof input !== 'string') return input;
  // Providers send an empty text when a model gives no arguments.
  if (input.trim() === '') return {};
  try {
    return parseForeignJson(input);
  } catch {
    throw new ValidationError(`${name}: the arguments are not valid JSON. Send one JSON object.`);
  }
}
