/** Combines the approval requests of several test files into one. The answer applies to the listed contents. */

const TOOL = 'test_tool';

/**
 * @typedef {import('../../index.js').Approve} Approve
 * @typedef {import('../../index.js').ApprovalRequest} ApprovalRequest
 */

/**
 * Wraps an approver so that it is asked once for all test files of a call. A file that has changed since, or that another rule
 * covers, is a separate request.
 * @param {() => Promise<import('../boundary/crossing.js').Judged>} judge evaluates the call for all files
 * @param {Approve} approve
 * @param {string | undefined} path that the call names
 * @returns {Approve}
 */
export function combinedTestApproval(judge, approve, path) {
  const named = path === undefined ? {} : { path };
  const ask = async (/** @type {ApprovalRequest} */ { always: _, path: __, text: ___, ...first }) => {
    const { tests, also } = await judge();
    const texts = tests.map(([test, hash]) => `${test} sha256 ${hash}`);
    const listed = { ...first, ...named, args: { ...named, tests: texts }, also };
    const answer = await approve(/** @type {ApprovalRequest} */ (listed));
    return { answer: withoutRule(answer), rule: first.rule, texts: new Map(tests) };
  };
  /** @type {ReturnType<typeof ask> | undefined} */
  let combined;
  return async (request) => {
    if (request.tool !== TOOL) return approve(request);
    combined ??= ask(request);
    const { answer, rule, texts } = await combined;
    const isListed = rule === request.rule && texts.get(request.path ?? '') === request.text;
    return isListed ? answer : approve(request);
  };
}

/**
 * Removes the request for a permanent rule, because a rule covers one file.
 * @param {Awaited<ReturnType<Approve>>} answer
 */
function withoutRule(answer) {
  if (typeof answer !== 'object' || answer === null) return answer;
  const { always: _, ...rest } = answer;
  return rest;
}
