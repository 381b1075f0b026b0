/** Evaluates a policy function for a call and every file it reaches; the strictest verdict applies. */

/**
 * @typedef {import('../../index.js').PolicyCall} PolicyCall
 * @typedef {PolicyCall & Pick<import('../../index.js').ApprovalRequest, 'also'>} ReachingCall
 * @typedef {{ verdict: 'allow' | 'ask' | 'deny' }} Verdict
 */

/** The tool with the same effect on a single file. @type {Readonly<Record<string, string>>} */
const SINGLE_FILE_TOOL = { read: 'read_file', run: 'exec_tool' };
const STRICTNESS = /** @type {const} */ (['allow', 'ask', 'deny']);

/**
 * The strictest verdict on a call and everything it reaches. Evaluated sequentially, because a tool may import many files.
 * @template {Verdict} Answer
 * @param {ReachingCall} call
 * @param {(call: PolicyCall) => Promise<Answer>} ask
 * @param {AbortSignal} over
 * @returns {Promise<Answer>}
 */
export async function strictestVerdict(call, ask, over) {
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

/**
 * @param {ReachingCall} call
 * @returns {PolicyCall[]}
 */
function reachedCalls({ also = [], ...call }) {
  const files = new Map(
    also.flatMap(({ effect, paths }) => paths.map((path) => [`${effect} ${path}`, { effect, path }])),
  );
  return [...files.values()].map(({ effect, path }) => {
    const tool = SINGLE_FILE_TOOL[effect];
    return { ...call, effect, path, ...(tool !== undefined && { tool, args: { path } }) };
  });
}
