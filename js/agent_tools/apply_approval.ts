/** Approval of a program's file changes before they are applied to the real folder: by a policy rule or by the approver. */

import { randomUUID } from 'node:crypto';
import { untilAborted } from '../boundary/abort.js';
import { beforeDeadline } from '../boundary/deadline.js';
import { ApprovalError } from '../boundary/errors.js';
import { settled } from '../boundary/foreign_promise.js';
import type { OwnCall } from '../kernel/calls/kernel_calls.js';
import type { DescribedCall } from '../tool_shape/tool_owner.js';
import type { ApprovalRequest, Approve, Verdict } from '../types/policy.js';

type ApplyRequest = {
  /** Access to a kernel, whose policy decides first. */
  access: { judge: (call: DescribedCall) => Promise<{ verdict?: Pick<Verdict, 'verdict' | 'rule'> }> } | undefined;
  approve: Approve | undefined;
  about: { program: string; args: string[]; changes: { path: string; kind: string; isShown: boolean }[] };
  diffs: { path: string; diff: string }[];
  timeoutMs: number;
  signal: AbortSignal | undefined;
  recorded: <T>(call: Omit<OwnCall, 'effect'>, work: () => Promise<T>) => Promise<T>;
  write: () => Promise<void>;
};

const TOOL = 'apply_changes';
const REASON = 'A program changed files in its copy of the folder.';
/** The rule id of a verdict without a matching rule. */
const NO_RULE = 'default';
const NO_APPROVER =
  'There is no approver, so no change was applied. The application can set "approve" of createShellTools, or add a policy rule that allows apply_changes.';

/** Calls `write` if the changes are approved, else throws an ApprovalError. */
export async function askToApply(request: ApplyRequest) {
  const { access, approve, about, recorded, write } = request;
  const args = { ...about, diff: request.diffs.map(({ diff }) => diff).join('') };
  let isAsked = false;
  const counted: Approve = async (question) => {
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

async function askOnce({ approve, timeoutMs, signal }: ApplyRequest, args: object) {
  if (approve === undefined) throw new ApprovalError(NO_APPROVER);
  const over = new AbortController();
  const request = {
    id: randomUUID(),
    verdict: 'ask' as const,
    tool: TOOL,
    effect: 'shell' as const,
    args,
    rule: NO_RULE,
    at: 'createShellTools',
    reason: REASON,
    signal: over.signal,
  };
  let answer: Awaited<ReturnType<Approve>>;
  try {
    const pending = beforeDeadline(async () => settled(approve(request as ApprovalRequest)), timeoutMs);
    answer = (await untilAborted(pending, signal)) as typeof answer;
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
