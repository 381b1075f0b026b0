/** Converts tools to the formats of provider clients and agent frameworks. */

import { runForModel } from './tool_call.js';

/** @typedef {import('../../index.js').ToolSet} ToolSet */

/** @type {typeof import('../../index.js').formatTools} */
export function formatTools(tools) {
  return { ...tools };
}

/**
 * @param {ToolSet} tools
 * @param {{ api?: 'chat' | 'responses' }} [options]
 * @returns {any[]}
 */
export function toOpenAITools(tools, { api = 'chat' } = {}) {
  return described(tools).map(({ name, description, schema: parameters }) =>
    api === 'responses'
      ? // Responses is strict by default, and strict schemas cannot have objects with arbitrary keys, such as `args`.
        { type: 'function', name, description, parameters, strict: false }
      : { type: 'function', function: { name, description, parameters } },
  );
}

/** @type {typeof import('../../index.js').toAnthropicTools} */
export function toAnthropicTools(tools) {
  return described(tools).map(({ name, description, schema }) => ({ name, description, input_schema: schema }));
}

/** @type {typeof import('../../index.js').toLangChainTools} */
export function toLangChainTools(tools, tool) {
  return described(tools).map((fields) =>
    tool(async (args, config) => {
      const { text, failed } = await runForModel(tools, fields.name, args, { abortSignal: config?.signal });
      return failed ? langChainFailure(tool, fields.name, text, config) : text;
    }, fields),
  );
}

/**
 * A failure as a LangChain message: LangChain treats every returned text as a success. LangChain itself creates the message.
 * @param {any} tool of LangChain
 * @param {string} name
 * @param {string} text
 * @param {any} config of the call
 * @returns {Promise<any>} the text, if the call has no id
 */
async function langChainFailure(tool, name, text, config) {
  const id = config?.toolCall?.id ?? config?.toolCallId ?? config?.configurable?.tool_call_id;
  if (typeof id !== 'string') return text;
  const schema = { type: 'object', properties: {} };
  const message = await tool(async () => text, { name, description: name, schema }).invoke({
    type: 'tool_call',
    id,
    name,
    args: {},
  });
  if (typeof message === 'object' && message !== null) message.status = 'error';
  return message;
}

/** @type {typeof import('../../index.js').toOpenAIAgentsTools} */
export function toOpenAIAgentsTools(tools, tool) {
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

/**
 * @param {ToolSet} tools
 * @returns {{ name: string, description: string, schema: any }[]} plain JSON Schemas, without the SDKs' hidden members
 */
function described(tools) {
  return Object.entries(tools).map(([name, { description, parameters }]) => ({
    name,
    description,
    schema: { ...parameters },
  }));
}
