/** What a call reaches, as calls that a policy function can be asked about: one verdict covers all of it. */

/**
 * @typedef {import('../../index.js').PolicyCall} PolicyCall
 * @typedef {PolicyCall & Pick<import('../../index.js').ApprovalRequest, 'also'>} ReachingCall
 * @typedef {{ verdict: 'allow' | 'ask' | 'deny' }} Said
 */

/** The tool that does the same to one file alone. @type {Readonly<Record<string, string>>} */
const ALONE = { read: 'read_file', run: 'exec_tool' };
const STRICTNESS = /** @type {const} */ (['allow', 'ask', 'deny']);

/**
 * The strictest that is said of a call and of all that it reaches. One after the other: a tool decides how many files it imports.
 * @template {Said} Word
 * @param {ReachingCall} call
 * @param {(call: PolicyCall) => Promise<Word>} ask
 * @param {AbortSignal} over
 * @returns {Promise<Word>}
 */
export async function strictest(call, ask, over) {
  let strictest = await ask(call);
  for (const reached of reachedCalls(call)) {
    if (strictest.verdict === 'deny') break;
    // The answer is no longer waited for.
    over.throwIfAborted();
    const word = await ask(reached);
    if (STRICTNESS.indexOf(word.verdict) > STRICTNESS.indexOf(strictest.verdict)) strictest = word;
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
    const tool = ALONE[effect];
    return { ...call, effect, path, ...(tool !== undefined && { tool, args: { path } }) };
  });
}
