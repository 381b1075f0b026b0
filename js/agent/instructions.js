/** What the model of an agent is told before its task. */

const PROMPT_TOKENS = 4_000;

const WORK = `You work on a task on your own, step by step, with the tools you have. Look for a tool that does the job before you write one. When you are done, answer in a few sentences: what you found or did, and what is open. Where a result says { "kept": "c12" }, only a reference is left of it: read_result gives the rest. A call that is said to be unknown may have taken effect: look before you make it again.`;

/**
 * @param {any} kernel
 * @param {{ instructions?: string, mode?: string, contextTokens: number }} options
 */
export function instructionsOf(kernel, { instructions, mode, contextTokens }) {
  const maxTokens = Math.min(PROMPT_TOKENS, Math.floor(contextTokens / 5));
  const told = [kernel.getSystemPrompt({ maxTokens, ...(mode !== undefined && { mode }) }), WORK, instructions];
  return told.filter((text) => text !== undefined && text !== '').join('\n\n');
}
