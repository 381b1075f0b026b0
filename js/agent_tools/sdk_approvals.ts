import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import type { CallVerdict } from '../boundary/crossing.js';
import { dropOldest } from '../boundary/drop_oldest.js';
import type { DescribeCall, DescribedCall } from '../tool_shape/tool_owner.js';
import type { ApprovalRequest, Approve } from '../types/policy.js';
import type { AgentTool } from '../types/tools.js';

/** A judged call and when its approval expires, by two clocks: one stops while the machine sleeps, the other can be changed. */
type PendingApproval = { judged: CallVerdict; until: { steady: number; wall: number } };

/** The part of the AI SDK's messages that is used. */
type Message = { role?: string; content?: string | (Part | null | undefined)[] } | null | undefined;
type Part = { type?: string; toolCallId?: string };

/** Maximum number of pending approvals. */
const MAX_PENDING = 1_000;
const BY = 'ai-sdk';
/** Recorded for an approval that does not count: no approver has refused the call. */
const NO_APPROVER = 'nobody';

/**
 * Approvals by the AI SDK. Before a call the SDK asks `needsApproval`, and makes the call after the user has approved it. Each
 * approval is valid once, until it expires, and for exactly the judged call.
 */
export class SdkApprovals {
  #judge;
  #timeoutMs;
  /** By {@link keyOf} call and id, because conversations may use the same ids. */
  #pending = new Map<string, PendingApproval>();
  /** The approver of the current call. */
  #approver = new AsyncLocalStorage<Approve | undefined>();

  constructor(judge: (call: DescribedCall) => Promise<CallVerdict>, timeoutMs: () => number) {
    this.#judge = judge;
    this.#timeoutMs = timeoutMs;
  }

  /** Returns the approver of the current call, if the SDK has approved it. */
  get answered() {
    return () => this.#approver.getStore();
  }

  /** Adds approval by the SDK to a tool. */
  guard<Tool extends AgentTool>(tool: Tool, describeCall: DescribeCall): Tool {
    return {
      ...tool,
      needsApproval: async (args, options) => {
        try {
          return await this.#needsApproval(await describeCall(args), options);
        } catch {
          // The call cannot be judged: it fails itself, with the reason.
          return false;
        }
      },
      execute: async (args, options) => {
        const approve = await this.#take(() => describeCall(args), options?.toolCallId);
        return this.#approver.run(approve, () => tool.execute(args, options));
      },
    };
  }

  async #needsApproval(
    call: DescribedCall,
    { toolCallId, messages }: { toolCallId?: string; messages?: Message[] } | undefined = {},
  ) {
    const judged = await this.#judge(call);
    if (judged.verdict?.verdict !== 'ask') return false;
    // The SDK asks again before it makes an approved call: the approval is for the first question.
    if (toolCallId === undefined || isOpen(messages, toolCallId)) return true;
    const key = keyOf(toolCallId, call);
    this.#pending.delete(key);
    dropOldest(this.#pending, MAX_PENDING);
    const ms = this.#timeoutMs();
    this.#pending.set(key, { judged, until: { steady: performance.now() + ms, wall: Date.now() + ms } });
    return true;
  }

  /** Consumes the approval of a call, whether or not the call needs it. */
  async #take(
    describeCall: () => DescribedCall | Promise<DescribedCall>,
    toolCallId: string | undefined,
  ): Promise<Approve | undefined> {
    if (toolCallId === undefined || this.#pending.size === 0) return undefined;
    let call: DescribedCall;
    try {
      call = await describeCall();
    } catch {
      // The call cannot be judged: it fails itself, with the reason.
      return undefined;
    }
    const key = keyOf(toolCallId, call);
    const pending = this.#pending.get(key);
    if (pending === undefined) return undefined;
    this.#pending.delete(key);
    let now: Promise<CallVerdict> | undefined;
    const judgedNow = () => {
      now ??= this.#judge(call);
      return now;
    };
    return async (request) => {
      const refused = (reason: string) => ({ approved: false, by: NO_APPROVER, reason });
      const { steady, wall } = pending.until;
      if (performance.now() > steady || Date.now() > wall) {
        return refused('The approval has expired (agent.approvalMs).');
      }
      if (request.tool !== call.tool) return refused(`Only ${call.tool} was approved.`);
      // A run request has the hash of its text; a call of several tests asks once for each test.
      const isSame = isRun(request)
        ? request.text === textOf(pending.judged, request)
        : isSameCall(await judgedNow(), pending.judged);
      return isSame ? { approved: true, by: BY } : refused('The call has changed since it was approved.');
    };
  }
}

function isRun({ effect }: ApprovalRequest) {
  return effect === 'run';
}

/** The hash of the text that was approved for a run. */
function textOf({ text, tests }: CallVerdict, { tool, path }: ApprovalRequest) {
  return tool === 'test_tool' ? tests.find(([test]) => test === path)?.[1] : text;
}

function isSameCall(one: CallVerdict, other: CallVerdict) {
  return one.text === other.text && JSON.stringify(one.also) === JSON.stringify(other.also);
}

/**
 * Whether a conversation has an open call with this id, so that the SDK is asking again. A provider may reuse an id: a call with a
 * result, or one before the last user message, is another call.
 */
function isOpen(messages: Message[] | undefined, toolCallId: string) {
  const all = messages ?? [];
  const latest = all.slice(all.findLastIndex((message) => message?.role === 'user') + 1);
  const count = (role: string, type: string) =>
    latest
      .filter((message) => message?.role === role)
      .flatMap((message) => (Array.isArray(message?.content) ? message.content : []))
      .filter((part) => part?.type === type && part.toolCallId === toolCallId).length;
  return count('assistant', 'tool-call') > count('tool', 'tool-result') + count('assistant', 'tool-result');
}

function keyOf(toolCallId: string, { tool, path, args }: DescribedCall) {
  return createHash('sha256')
    .update(JSON.stringify([toolCallId, tool, path, args]))
    .digest('hex');
}
