/** Converts tools to the formats of provider clients and agent frameworks. */

import type { AnthropicTool, OpenAIResponsesTool, OpenAITool } from '../types/adapters.js';
import type { ToolSet } from '../types/tools.js';
import { runForModel } from './tool_call.js';

/** Returns the tools as a tool set of the Vercel AI SDK. They already are one, so this returns a copy. */
export function formatTools<Tools extends ToolSet>(tools: Tools): Tools {
  return { ...tools };
}

/**
 * The tools as `tools` of an OpenAI API: Chat Completions, or Responses with `{ api: 'responses' }`. Run the calls of the
 * model with {@link handleToolCall}.
 */
export function toOpenAITools(tools: ToolSet, options?: { api?: 'chat' }): OpenAITool[];
/** The tools as `tools` of the Responses API. Run the calls of the model with {@link handleToolCall}. */
export function toOpenAITools(tools: ToolSet, options: { api: 'responses' }): OpenAIResponsesTool[];
export function toOpenAITools(
  tools: ToolSet,
  { api = 'chat' }: { api?: 'chat' | 'responses' } = {},
): (OpenAITool | OpenAIResponsesTool)[] {
  return described(tools).map(({ name, description, schema: parameters }) =>
    api === 'responses'
      ? // Responses is strict by default, and strict schemas cannot have objects with arbitrary keys, such as `args`.
        { type: 'function', name, description, parameters, strict: false }
      : { type: 'function', function: { name, description, parameters } },
  );
}

/** The tools as `tools` of Anthropic's Messages API. Run the calls of the model with {@link handleToolCall}. */
export function toAnthropicTools(tools: ToolSet): AnthropicTool[] {
  return described(tools).map(({ name, description, schema }) => ({ name, description, input_schema: schema }));
}

/**
 * The tools as tools of LangChain, made with the `tool` function of your own `@langchain/core/tools`. A failure is
 * returned as text for the model; only an abort throws.
 *
 * @example
 * import { tool } from '@langchain/core/tools';
 * const bound = model.bindTools(toLangChainTools(tgpTools(kernel), tool));
 */
export function toLangChainTools<Made>(
  tools: ToolSet,
  tool: (
    // biome-ignore lint/suspicious/noExplicitAny: the type of another package's `tool` function
    run: (args: any, config?: { signal?: AbortSignal }) => Promise<string>,
    // biome-ignore lint/suspicious/noExplicitAny: the type of another package's `tool` function
    fields: { name: string; description: string; schema: any },
  ) => Made,
): Made[] {
  return described(tools).map((fields) =>
    tool(async (args, config) => {
      const { text, failed } = await runForModel(tools, fields.name, args, { abortSignal: config?.signal });
      return failed ? langChainFailure(tool, fields.name, text, config) : text;
    }, fields),
  );
}

/** The part of LangChain's call configuration that has the id of the call, by version. */
type LangChainConfig = {
  signal?: AbortSignal;
  toolCall?: { id?: unknown };
  toolCallId?: unknown;
  configurable?: { tool_call_id?: unknown };
};

/** LangChain's `tool` function; `invoke` returns the text as a message. */
type LangChainTool = (
  run: () => Promise<string>,
  fields: { name: string; description: string; schema: object },
) => { invoke(call: object): Promise<string | { status?: string }> };

/**
 * A failure as a LangChain message: LangChain treats every returned text as a success. LangChain itself creates the message.
 * @param tool of LangChain
 * @param config of the call
 * @returns the text, if the call has no id
 */
async function langChainFailure(
  tool: unknown,
  name: string,
  text: string,
  config: LangChainConfig | undefined,
): Promise<string> {
  const id = config?.toolCall?.id ?? config?.toolCallId ?? config?.configurable?.tool_call_id;
  if (typeof id !== 'string') return text;
  const schema = { type: 'object', properties: {} };
  const make = tool as LangChainTool;
  const message = await make(async () => text, { name, description: name, schema }).invoke({
    type: 'tool_call',
    id,
    name,
    args: {},
  });
  if (typeof message === 'object' && message !== null) message.status = 'error';
  // LangChain takes a message as the result too, but its type allows only a text.
  return message as string;
}

/**
 * The tools as tools of the OpenAI Agents SDK, made with the `tool` function of your own `@openai/agents`. A failure is
 * returned as text for the model; only an abort throws.
 *
 * @example
 * import { Agent, tool } from '@openai/agents';
 * const agent = new Agent({ name: 'Smith', tools: toOpenAIAgentsTools(tgpTools(kernel), tool) });
 */
export function toOpenAIAgentsTools<Made>(
  tools: ToolSet,
  tool: (options: {
    name: string;
    description: string;
    // biome-ignore lint/suspicious/noExplicitAny: the type of another package's `tool` function
    parameters: any;
    strict: false;
    // biome-ignore lint/suspicious/noExplicitAny: the type of another package's `tool` function
    execute: (args: any, context?: any, details?: { signal?: AbortSignal }) => Promise<string>;
  }) => Made,
): Made[] {
  return described(tools).map(({ name, description, schema: parameters }) =>
    tool({
      name,
      description,
      parameters,
      strict: false,
      execute: async (args, _context, details) => {
        const { text } = await runForModel(tools, name, args, { abortSignal: details?.signal });
        return text;
      },
    }),
  );
}

type DescribedSchema = AnthropicTool['input_schema'];

/** @returns plain JSON Schemas, without the SDKs' hidden members */
function described(tools: ToolSet): { name: string; description: string; schema: DescribedSchema }[] {
  return Object.entries(tools).map(([name, { description, parameters }]) => ({
    name,
    description,
    schema: { ...parameters },
  }));
}
