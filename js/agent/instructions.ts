/** The system prompt of an agent. */

import { ON_BEHALF } from '../kernel/access_symbols.js';
import type { TGP } from '../kernel/tgp.js';
import type { Worker } from './toolset.js';

const PROMPT_TOKENS = 4_000;

const WORK = `You work on a task on your own, step by step, with the tools you have. Look for a tool that does the job before you write one. When you are done, answer in a few sentences: what you found or did, and what is open. A result { "kept": "c12" } is a reference: read_result returns the full result. A call with an unknown outcome may have taken effect: check before you repeat it.`;

const DRY = `This is a dry run: nothing is changed. A write, a run or a query only shows what it would do, so a file that you have written does not exist afterwards. Do not write it again: report at the end what would have been done.`;

export function instructionsOf(
  kernel: TGP,
  worker: Worker,
  { instructions, contextTokens }: { instructions?: string; contextTokens: number },
) {
  const { agent: id, mode, dryRun } = worker;
  const maxTokens = Math.min(PROMPT_TOKENS, Math.floor(contextTokens / 5));
  const prompt = kernel[ON_BEHALF]({ ...worker, agent: 'agent', id }).systemPrompt({
    maxTokens,
    ...(mode !== undefined && { mode }),
  });
  const sections = [prompt, WORK, dryRun ? DRY : undefined, instructions];
  return sections.filter((text) => text !== undefined && text !== '').join('\n\n');
}
