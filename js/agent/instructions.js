/** What the model of an agent is told before its task. */

const PROMPT_TOKENS = 4_000;

const WORK = `You work on a task on your own, step by step, with the tools you have. Look for a tool that does the job before you write one. When you are done, answer in a few sentences: what you found or did, and what is open. Where a result says { "kept": "c12" }, only a reference is left of it: read_result gives the rest. A call that is said to be unknown may have taken effect: look before you make it again.`;

const DRY = `This is a dry run: nothing that you change happens. A write, a run or a query only shows what it would do, so a file that you have written is not there afterwards. Do not write it again: say at the end what would have been done.`;

/**
 * @param {any} kernel
 * @param {{ instructions?: string, dryRun?: boolean, mode?: string, contextTokens: number }} options
 */
export function instructionsOf(kernel, { instructions, dryRun, mode, contextTokens }) {
  const maxTokens = Math.min(PROMPT_TOKENS, Math.floor(contextTokens / 5));
  const prompt = kernel.getSystemPrompt({ maxTokens, ...(mode !== undefined && { mode }) });
  const told = [prompt, WORK, dryRun ? DRY : undefined, instructions];
  return told.filter((text) => text !== undefined && text !== '').join('\n\n');
}
