import { throwIfAborted } from '../boundary/abort.js';
import { AbortedError, ValidationError } from '../boundary/errors.js';
import { parseForeignJson } from '../boundary/foreign_json.js';
import { nearest } from '../boundary/spelling.js';
import { isBounded } from '../tool_shape/bounded_result.js';
import type {
  AnthropicToolResult,
  AnthropicToolUse,
  HandleToolCallOptions,
  LangChainToolCall,
  LangChainToolMessage,
  OpenAIFunctionCall,
  OpenAIFunctionCallOutput,
  OpenAIToolCall,
  OpenAIToolMessage,
} from '../types/adapters.js';
import type { ToolSet } from '../types/tools.js';
import { modelErrorText, modelText } from './model_text.js';

type Outcome = { text: string; failed: boolean; shown?: unknown };

type ToolCall = OpenAIToolCall | OpenAIFunctionCall | AnthropicToolUse | LangChainToolCall;
type ToolAnswer = OpenAIToolMessage | OpenAIFunctionCallOutput | AnthropicToolResult | LangChainToolMessage;
/** A call before its format is known. */
type UnknownCall = { type?: unknown; name?: unknown; function?: { name?: unknown } };

/** The call and result format of one provider. Methods, because each takes the calls that `matches` accepts. */
type Dialect = {
  matches(call: UnknownCall): boolean;
  read(call: ToolCall): { name: string; input: unknown };
  answer(call: ToolCall, outcome: Outcome): ToolAnswer;
};

const DIALECTS: Dialect[] = [
  {
    matches: (call) => call.type === 'function' && typeof call.function?.name === 'string',
    read: (call: OpenAIToolCall) => ({ name: call.function.name, input: call.function.arguments }),
    answer: (call: OpenAIToolCall, { text }) => ({ role: 'tool', tool_call_id: call.id, content: text }),
  },
  {
    matches: (call) => call.type === 'function_call' && typeof call.name === 'string',
    read: (call: OpenAIFunctionCall) => ({ name: call.name, input: call.arguments }),
    answer: (call: OpenAIFunctionCall, { text }) => ({
      type: 'function_call_output',
      call_id: call.call_id,
      output: text,
    }),
  },
  {
    matches: (call) => call.type === 'tool_use' && typeof call.name === 'string',
    read: (call: AnthropicToolUse) => ({ name: call.name, input: call.input }),
    answer: (call: AnthropicToolUse, { text, failed }) => ({
      type: 'tool_result',
      tool_use_id: call.id,
      content: text,
      is_error: failed,
    }),
  },
  {
    matches: (call) => (call.type ?? 'tool_call') === 'tool_call' && typeof call.name === 'string' && 'args' in call,
    read: (call: LangChainToolCall) => ({ name: call.name, input: call.args }),
    answer: (call: LangChainToolCall, { text, failed }) => ({
      role: 'tool',
      tool_call_id: call.id ?? '',
      name: call.name,
      content: text,
      status: failed ? 'error' : 'success',
    }),
  },
];

/**
 * Runs one tool call of a model and returns the result in the provider's format. A failure is a result too, with help first;
 * only an unknown call format and an abort reject.
 *
 * @example
 * for (const call of message.tool_calls ?? []) messages.push(await handleToolCall(tools, call));
 */
export function handleToolCall(
  tools: ToolSet,
  call: OpenAIToolCall,
  options?: HandleToolCallOptions,
): Promise<OpenAIToolMessage>;
/** Runs one call of the Responses API and returns an item. */
export function handleToolCall(
  tools: ToolSet,
  call: OpenAIFunctionCall,
  options?: HandleToolCallOptions,
): Promise<OpenAIFunctionCallOutput>;
/** Runs one call of Anthropic's Messages API and returns a content block. */
export function handleToolCall(
  tools: ToolSet,
  call: AnthropicToolUse,
  options?: HandleToolCallOptions,
): Promise<AnthropicToolResult>;
/** Runs one call of a LangChain message and returns a message. */
export function handleToolCall(
  tools: ToolSet,
  call: LangChainToolCall,
  options?: HandleToolCallOptions,
): Promise<LangChainToolMessage>;
export async function handleToolCall(
  tools: ToolSet,
  call: ToolCall,
  options: HandleToolCallOptions = {},
): Promise<ToolAnswer> {
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
 * @param input the arguments, or their JSON text
 */
export async function runForModel(
  tools: ToolSet,
  name: string,
  input: unknown,
  { abortSignal, maxChars }: HandleToolCallOptions,
): Promise<Outcome> {
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

/** The failure of a call as text for the model. An abort is thrown. */
export function failedForModel(error: unknown, maxChars?: number): Outcome {
  if (error instanceof AbortedError) throw error;
  return { text: modelErrorText(error, maxChars), failed: true };
}

function unknownTool(name: string, names: string[]) {
  const near = nearest(name, names);
  const question = near === undefined ? '' : ` Did you mean ${near}?`;
  return new ValidationError(`There is no tool "${name}".${question} Available tools: ${names.join(', ')}.`);
}

function parsed(input: unknown, name: string) {
  if (typeof input !== 'string') return input;
  // Providers send an empty text when a model gives no arguments.
  if (input.trim() === '') return {};
  try {
    return parseForeignJson(input);
  } catch {
    throw new ValidationError(`${name}: the arguments are not valid JSON. Send one JSON object.`);
  }
}
