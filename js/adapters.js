/** The kernel tools in the shapes that model providers' own clients expect. */

/** @type {typeof import('../index.js').formatTools} */
export function formatTools(tools) {
  return { ...tools };
}

/** @type {typeof import('../index.js').toOpenAITools} */
export function toOpenAITools(tools) {
  return Object.entries(tools).map(([name, { description, parameters }]) => ({
    type: 'function',
    function: { name, description, parameters: { ...parameters } },
  }));
}

/** @type {typeof import('../index.js').toAnthropicTools} */
export function toAnthropicTools(tools) {
  return Object.entries(tools).map(([name, { description, parameters }]) => ({
    name,
    description,
    input_schema: { ...parameters },
  }));
}
