/**
 * A model without a network: like a real one, it decides from the tool results in the prompt. If a result is not as
 * expected, it stops, and the demo fails.
 */

/**
 * @typedef {{ tool: string, input: any, output?: any, rejected?: string }} Turn one call of this conversation and what came back
 * @typedef {{ say: string, tool: string, input: object }} Call
 * @typedef {{ say: string }} Answer
 * @typedef {(turns: Turn[]) => Call | Answer} Decide
 */

/** Thrown if a result does not allow the next step. */
export class Stuck extends Error {}

/**
 * @param {any} Model the mock model class of `ai/test`
 * @param {Decide[]} steps what to do after 0, 1, 2, … tool results
 */
export function scriptedModel(Model, steps) {
  return new Model({
    modelId: 'scripted',
    doGenerate: async (/** @type {{ prompt: any[] }} */ { prompt }) => {
      const turns = turnsOf(prompt);
      const decide = steps[turns.length];
      if (!decide) throw new Stuck(`The script has no step after ${turns.length} tool results.`);
      return reply(decide(turns), turns.length);
    },
  });
}

/**
 * @param {Call | Answer} decision
 * @param {number} index
 */
function reply(decision, index) {
  const text = { type: 'text', text: decision.say };
  const usage = { inputTokens: { total: 0 }, outputTokens: { total: 0 } };
  if (!('tool' in decision)) return { content: [text], finishReason: finish('stop'), usage, warnings: [] };
  const call = {
    type: 'tool-call',
    toolCallId: `call-${index}`,
    toolName: decision.tool,
    input: JSON.stringify(decision.input),
  };
  return { content: [text, call], finishReason: finish('tool-calls'), usage, warnings: [] };
}

/** @param {string} reason */
function finish(reason) {
  return { unified: reason, raw: reason };
}

/**
 * @param {any[]} prompt
 * @returns {Turn[]}
 */
function turnsOf(prompt) {
  const parts = prompt.flatMap((message) => (Array.isArray(message.content) ? message.content : []));
  const inputs = new Map(
    parts.filter((part) => part.type === 'tool-call').map((part) => [part.toolCallId, part.input]),
  );
  return parts
    .filter((part) => part.type === 'tool-result')
    .map(({ toolName, toolCallId, output }) => {
      const turn = { tool: toolName, input: inputs.get(toolCallId) };
      const isResult = output.type === 'json' || output.type === 'text';
      return isResult ? { ...turn, output: output.value } : { ...turn, rejected: String(output.value) };
    });
}
