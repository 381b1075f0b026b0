/** Who lets the changes of a program into the real folder: a rule that names it, or somebody who is asked. */

import { randomUUID } from 'node:crypto';
import { untilAborted } from '../boundary/abort.js';
import { beforeDeadline } from '../boundary/deadline.js';
import { ApprovalError } from '../boundary/errors.js';
import { settled } from '../boundary/foreign_promise.js';

/**
 * @typedef {import('../../index.js').Approve} Approve
 * @typedef {object} Asked
 * @property {{ judge: (call: any) => Promise<{ verdict?: import('../../index.js').Verdict }> } | undefined} access to a kernel, whose rules decide first
 * @property {Approve | undefined} approve
 * @property {{ program: string, args: string[], changes: { path: string, kind: string, isShown: boolean }[] }} about
 * @property {{ path: string, diff: string }[]} diffs
 * @property {number} patienceMs
 * @property {AbortSignal | undefined} signal
 * @property {<T>(call: any, work: () => Promise<T>) => Promise<T>} recorded
 * @property {() => Promise<void>} write
 */

const TOOL = 'apply_changes';
const REASON = 'A program has changed files in its copy of the folder.';
/** What a policy calls the verdict that no rule gave. */
const NO_RULE = 'default';
const NOBODY =
  'The changes were not approved, so none was applied. The application names an approver: "approve" of createShellTools, or a rule of the policy that allows apply_changes.';

/** @param {Asked} asked */
export async function askToApply(asked) {
  const { access, approve, about, recorded, write } = asked;
  const args = { ...about, diff: asked.diffs.map(({ diff }) => diff).join('') };
  let isAsked = false;
  /** @type {Approve} */
  const counted = async (request) => {
    isAsked = true;
    return approve === undefined ? false : approve(request);
  };
  const ruled = access && (await access.judge({ tool: TOOL, effect: 'shell', args }));
  const isAllowedByRule = ruled?.verdict?.verdict === 'allow' && ruled.verdict.rule !== NO_RULE;
  const who = approve === undefined ? {} : { who: { approve: counted } };
  // With rules that ask, the kernel does; whoever it asks has said yes when it goes on.
  const isAskedByKernel = ruled !== undefined && ruled.verdict?.verdict !== 'allow';
  await recorded({ tool: TOOL, changes: true, args, ...who }, async () => {
    if (!isAllowedByRule && !isAskedByKernel && !isAsked) await askOnce(asked, args);
    await write();
  });
}

/**
 * @param {Asked} asked
 * @param {object} args
 */
async function askOnce({ approve, patienceMs, signal }, args) {
  if (approve === undefined) throw new ApprovalError(NOBODY);
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
    const said = beforeDeadline(async () => settled(approve(/** @type {any} */ (request))), patienceMs);
    answer = /** @type {any} */ (await untilAborted(said, signal));
  } catch (cause) {
    throw new ApprovalError('The approver of the changes has not answered, so none was applied.', { cause });
  } finally {
    over.abort();
  }
  const { approved, reason } = typeof answer === 'boolean' ? { approved: answer, reason: undefined } : (answer ?? {});
  if (approved === true) return;
  const why = typeof reason === 'string' ? ` They say: ${reason.slice(0, 1_000).toWellFormed()}` : '';
  throw new ApprovalError(`The changes were not approved, so none was applied.${why}`);
}
