/** Tools and tool calls in the formats of model providers. */

import type { z } from 'zod';
import type { ToolSchema } from '../tool_shape/tool_parameters.js';

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

/** A tool in the format of Anthropic's Messages API. */
export type AnthropicTool = {
  name: string;
  description: string;
  input_schema: JSONSchemaObject & { type: 'object' };
};

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

/** Output of {@link ToolSchema}. */
export type ToolDefinition = z.output<typeof ToolSchema>;
