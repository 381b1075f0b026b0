/** Approval of a program's file changes before they are applied to the real folder: by a policy rule or by the approver. */

import { randomUUID } from 'node:crypto';
import { untilAborted } from '../boundary/abort.js';
import { beforeDeadline } from '../boundary/deadline.js';
import { ApprovalError } from '../boundary/errors.js';
import { settled } from '../boundary/foreign_promise.js';

/**
 * @typedef {import('../../index.js').Approve} Approve
 * @typedef {object} ApplyRequest
 * @property {{ judge: (call: any) => Promise<{ verdict?: import('../../index.js').Verdict }> } | undefined} access to a kernel, whose policy decides first
 * @property {Approve | undefined} approve
 * @property {{ program: string, args: string[], changes: { path: string, kind: string, isShown: boolean }[] }} about
 * @property {{ path: string, diff: string }[]} diffs
 * @property {number} timeoutMs
 * @property {AbortSignal | undefined} signal
 * @property {<T>(call: any, work: () => Promise<T>) => Promise<T>} recorded
 * @property {() => Promise<void>} write
 */

const TOOL = 'apply_changes';
const REASON = 'A program changed files in its copy of the folder.';
/** The rule id of a verdict without a matching rule. */
const NO_RULE = 'default';
const NO_APPROVER =
  'There is no approver, so no change was applied. The application can set "approve" of createShellTools, or add a policy rule that allows apply_changes.';

/**
 * Calls `write` if the changes are approved, else throws an ApprovalError.
 * @param {ApplyRequest} request
 */
export async function askToApply(request) {
  const { access, approve, about, recorded, write } = request;
  const args = { ...about, diff: request.diffs.map(({ diff }) => diff).join('') };
  let isAsked = false;
  /** @type {Approve} */
  const counted = async (question) => {
    isAsked = true;
    return approve === undefined ? false : approve(question);
  };
  const judged = access && (await access.judge({ tool: TOOL, effect: 'shell', args }));
  const isAllowedByRule = judged?.verdict?.verdict === 'allow' && judged.verdict.rule !== NO_RULE;
  const caller = approve === undefined ? {} : { caller: { approve: counted } };
  // If the policy requires approval, the kernel asks and continues only after a yes.
  const isAskedByKernel = judged !== undefined && judged.verdict?.verdict !== 'allow';
  await recorded({ tool: TOOL, changes: true, args, ...caller }, async () => {
    if (!isAllowedByRule && !isAskedByKernel && !isAsked) await askOnce(request, args);
    await write();
  });
}

/**
 * @param {ApplyRequest} request
 * @param {object} args
 */
async function askOnce({ approve, timeoutMs, signal }, args) {
  if (approve === undefined) throw new ApprovalError(NO_APPROVER);
  const over = new AbortController();
  const request = {
    id: randomUUID(),
    verdict: /** @type {const} */ ('ask'),
    tool: TOOL,
    effect: /** @type {const} */ ('shell'),
    args,
    rule: NO_RULE,
    at: 'createShellTools',
    reason: REASON,
    signal: over.signal,
  };
  let answer;
  try {
    const pending = beforeDeadline(async () => settled(approve(/** @type {any} */ (request))), timeoutMs);
    answer = /** @type {any} */ (await untilAborted(pending, signal));
  } catch (cause) {
    throw new ApprovalError('The approver failed or did not answer in time; no change was applied.', { cause });
  } finally {
    over.abort();
  }
  const { approved, reason } = typeof answer === 'boolean' ? { approved: answer, reason: undefined } : (answer ?? {});
  if (approved === true) return;
  const why = typeof reason === 'string' ? ` Reason: ${reason.slice(0, 1_000).toWellFormed()}` : '';
  throw new ApprovalError(`The changes were not approved; no change was applied.${why}`);
}
