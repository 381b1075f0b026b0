/** One question about several test files: it lists them, and the answer counts for the texts that were listed. */

const TOOL = 'test_tool';

/**
 * @typedef {import('../../index.js').Approve} Approve
 * @typedef {import('../../index.js').ApprovalRequest} ApprovalRequest
 */

/**
 * An approver that asks another one once for all test files of a call. A file that changed meanwhile, or that another rule asks
 * about, is a question of its own.
 * @param {() => Promise<import('../boundary/crossing.js').Judged>} judge the call for all files
 * @param {Approve} approve
 * @param {string | undefined} path that the call names
 * @returns {Approve}
 */
export function oneQuestion(judge, approve, path) {
  const named = path === undefined ? {} : { path };
  const ask = async (/** @type {ApprovalRequest} */ { always: _, path: __, text: ___, ...first }) => {
    const { tests, also } = await judge();
    const texts = tests.map(([test, hash]) => `${test} sha256 ${hash}`);
    const listed = { ...first, ...named, args: { ...named, tests: texts }, also };
    const answer = await approve(/** @type {ApprovalRequest} */ (listed));
    return { answer: withoutRule(answer), rule: first.rule, texts: new Map(tests) };
  };
  /** @type {ReturnType<typeof ask> | undefined} */
  let asked;
  return async (request) => {
    if (request.tool !== TOOL) return approve(request);
    asked ??= ask(request);
    const { answer, rule, texts } = await asked;
    const isListed = rule === request.rule && texts.get(request.path ?? '') === request.text;
    return isListed ? answer : approve(request);
  };
}

/**
 * A rule for good is about one file.
 * @param {Awaited<ReturnType<Approve>>} answer
 */
function withoutRule(answer) {
  if (typeof answer !== 'object' || answer === null) return answer;
  const { always: _, ...rest } = answer;
  return rest;
}
