/** The kernel tools in the shapes that model providers' own clients and other frameworks expect. */

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
      ? // Responses is strict unless told otherwise, and strict has no objects with keys of their own such as `args`.
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
      const { text } = await runForModel(tools, fields.name, args, { abortSignal: config?.signal });
      return text;
    }, fields),
  );
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
