/** Combines the approval requests of several test files into one. The answer applies to the listed contents. */

import type { CallVerdict } from '../../boundary/crossing.js';
import type { ApprovalRequest, Approve } from '../../types/policy.js';

const TOOL = 'test_tool';

/**
 * Wraps an approver so that it is asked once for all test files of a call. A file that has changed since, or that another rule
 * covers, is a separate request.
 * @param judge evaluates the call for all files
 * @param path that the call names
 */
export function combinedTestApproval(
  judge: () => Promise<CallVerdict>,
  approve: Approve,
  path: string | undefined,
): Approve {
  const named = path === undefined ? {} : { path };
  const ask = async ({ always: _, path: __, text: ___, ...first }: ApprovalRequest) => {
    const { tests, also } = await judge();
    const texts = tests.map(([test, hash]) => `${test} sha256 ${hash}`);
    const listed = { ...first, ...named, args: { ...named, tests: texts }, also };
    const answer = await approve(listed as ApprovalRequest);
    return { answer: withoutRule(answer), rule: first.rule, texts: new Map(tests) };
  };
  let combined: ReturnType<typeof ask> | undefined;
  return async (request) => {
    if (request.tool !== TOOL) return approve(request);
    combined ??= ask(request);
    const { answer, rule, texts } = await combined;
    const isListed = rule === request.rule && texts.get(request.path ?? '') === request.text;
    return isListed ? answer : approve(request);
  };
}

/** Removes the request for a permanent rule, because a rule covers one file. */
function withoutRule(answer: Awaited<ReturnType<Approve>>) {
  if (typeof answer !== 'object' || answer === null) return answer;
  const { always: _, ...rest } = answer;
  return rest;
}
