import type { ToolSet } from './tools.js';

/** Returns the tools as a tool set of the Vercel AI SDK. They already are one, so this returns a copy. */
export declare function formatTools<Tools extends ToolSet>(tools: Tools): Tools;

/** A JSON Schema. */
export type JSONSchemaObject = { [key: string]: any };

/** A tool in the format of Chat Completions. */
export type OpenAITool = {
  type: 'function';
  function: { name: string; description: string; parameters: JSONSchemaObject };
};

/** A tool in the format of Responses. */
export type OpenAIResponsesTool = {
  type: 'function';
  name: string;
  description: string;
  parameters: JSONSchemaObject;
  strict: false;
};

/**
 * The tools as `tools` of an OpenAI API: Chat Completions, or Responses with `{ api: 'responses' }`. Run the calls of the
 * model with {@link handleToolCall}.
 */
export declare function toOpenAITools(tools: ToolSet, options?: { api?: 'chat' }): OpenAITool[];
/** The tools as `tools` of the Responses API. Run the calls of the model with {@link handleToolCall}. */
export declare function toOpenAITools(tools: ToolSet, options: { api: 'responses' }): OpenAIResponsesTool[];

/** A tool in the format of Anthropic's Messages API. */
export type AnthropicTool = {
  name: string;
  description: string;
  input_schema: JSONSchemaObject & { type: 'object' };
};

/** The tools as `tools` of Anthropic's Messages API. Run the calls of the model with {@link handleToolCall}. */
export declare function toAnthropicTools(tools: ToolSet): AnthropicTool[];

/**
 * The tools as tools of LangChain, made with the `tool` function of your own `@langchain/core/tools`. A failure is
 * returned as text for the model; only an abort throws.
 *
 * @example
 * import { tool } from '@langchain/core/tools';
 * const bound = model.bindTools(toLangChainTools(tgpTools(kernel), tool));
 */
export declare function toLangChainTools<Made>(
  tools: ToolSet,
  tool: (
    run: (args: any, config?: { signal?: AbortSignal }) => Promise<string>,
    fields: { name: string; description: string; schema: any },
  ) => Made,
): Made[];

/**
 * The tools as tools of the OpenAI Agents SDK, made with the `tool` function of your own `@openai/agents`. A failure is
 * returned as text for the model; only an abort throws.
 *
 * @example
 * import { Agent, tool } from '@openai/agents';
 * const agent = new Agent({ name: 'Smith', tools: toOpenAIAgentsTools(tgpTools(kernel), tool) });
 */
export declare function toOpenAIAgentsTools<Made>(
  tools: ToolSet,
  tool: (options: {
    name: string;
    description: string;
    parameters: any;
    strict: false;
    execute: (args: any, context?: any, details?: { signal?: AbortSignal }) => Promise<string>;
  }) => Made,
): Made[];

/** Options of {@link handleToolCall}. */
export type HandleToolCallOptions = {
  abortSignal?: AbortSignal;
  /** Maximum characters of a result for the model. Default: `agent.resultChars` of the configuration, 16 000. */
  maxChars?: number;
};

/** A tool call of Chat Completions. */
export type OpenAIToolCall = { id: string; type: 'function'; function: { name: string; arguments: string } };
/** The message that answers an {@link OpenAIToolCall}. */
export type OpenAIToolMessage = { role: 'tool'; tool_call_id: string; content: string };
/** A tool call of Responses. */
export type OpenAIFunctionCall = { type: 'function_call'; call_id: string; name: string; arguments: string };
/** The item that answers an {@link OpenAIFunctionCall}. */
export type OpenAIFunctionCallOutput = { type: 'function_call_output'; call_id: string; output: string };
/** A tool call of Anthropic's Messages API. */
export type AnthropicToolUse = { type: 'tool_use'; id: string; name: string; input: unknown };
/** The content block that answers an {@link AnthropicToolUse}. */
export type AnthropicToolResult = { type: 'tool_result'; tool_use_id: string; content: string; is_error: boolean };
/** A tool call of a LangChain message. */
export type LangChainToolCall = { type?: 'tool_call'; id?: string; name: string; args: Record<string, any> };
/** The message that answers a {@link LangChainToolCall}. */
export type LangChainToolMessage = {
  role: 'tool';
  tool_call_id: string;
  name: string;
  content: string;
  status: 'success' | 'error';
};

/**
 * Runs one tool call of a model and returns the result in the provider's format. A failure is a result too, with help first;
 * only an unknown call format and an abort reject.
 *
 * @example
 * for (const call of message.tool_calls ?? []) messages.push(await handleToolCall(tools, call));
 */
export declare function handleToolCall(
  tools: ToolSet,
  call: OpenAIToolCall,
  options?: HandleToolCallOptions,
): Promise<OpenAIToolMessage>;
/** Runs one call of the Responses API and returns an item. */
export declare function handleToolCall(
  tools: ToolSet,
  call: OpenAIFunctionCall,
  options?: HandleToolCallOptions,
): Promise<OpenAIFunctionCallOutput>;
/** Runs one call of Anthropic's Messages API and returns a content block. */
export declare function handleToolCall(
  tools: ToolSet,
  call: AnthropicToolUse,
  options?: HandleToolCallOptions,
): Promise<AnthropicToolResult>;
/** Runs one call of a LangChain message and returns a message. */
export declare function handleToolCall(
  tools: ToolSet,
  call: LangChainToolCall,
  options?: HandleToolCallOptions,
): Promise<LangChainToolMessage>;
