/** Evaluates a policy function for a call and every file it reaches; the strictest verdict applies. */

import { KERNEL_TOOL_FACTS } from '../../boundary/kernel_tool_facts.js';
import type { ApprovalRequest, PolicyCall } from '../../types/policy.js';

type ReachingCall = PolicyCall & Pick<ApprovalRequest, 'also'>;
type Verdict = { verdict: 'allow' | 'ask' | 'deny' };

/** The tool with the same effect on a single file. */
const SINGLE_FILE_TOOL: Readonly<Record<string, string>> = { read: 'read_file', run: 'exec_tool' };
const FACTS = new Map(Object.entries(KERNEL_TOOL_FACTS));
const STRICTNESS = ['allow', 'ask', 'deny'] as const;

/**
 * The strictest verdict on a call and everything it reaches. Evaluated sequentially, because a tool may import many files.
 */
export async function strictestVerdict<Answer extends Verdict>(
  call: ReachingCall,
  ask: (call: PolicyCall) => Promise<Answer>,
  over: AbortSignal,
): Promise<Answer> {
  let strictest = await ask(call);
  for (const reached of reachedCalls(call)) {
    if (strictest.verdict === 'deny') break;
    // Stops when the caller no longer waits for the verdict.
    over.throwIfAborted();
    const answer = await ask(reached);
    if (STRICTNESS.indexOf(answer.verdict) > STRICTNESS.indexOf(strictest.verdict)) strictest = answer;
  }
  return strictest;
}

function reachedCalls({ also = [], ...call }: ReachingCall): PolicyCall[] {
  const files = new Map(
    [...quotedFile(call), ...also].flatMap(({ effect, paths }) =>
      paths.map((path) => [`${effect} ${path}`, { effect, path }]),
    ),
  );
  return [...files.values()].map(({ effect, path }) => {
    const tool = SINGLE_FILE_TOOL[effect];
    return { ...call, effect, path, ...(tool !== undefined && { tool, args: { path } }) };
  });
}

/** The file that the call names, if the answer may contain its text. */
function quotedFile({ tool, effect, path }: PolicyCall) {
  const facts = FACTS.get(tool);
  const quotes = facts?.quotes === true && facts.effect === effect && tool !== SINGLE_FILE_TOOL.read;
  return quotes && path !== undefined ? [{ effect, paths: [path] }] : [];
}
