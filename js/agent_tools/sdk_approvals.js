import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { dropOldest } from '../boundary/drop_oldest.js';

/**
 * @typedef {import('../../index.js').AgentTool} AgentTool
 * @typedef {import('../../index.js').Approve} Approve
 * @typedef {import('../tool_shape/tool_owner.js').PolicyCall} PolicyCall
 * @typedef {import('../boundary/crossing.js').Judged} Judged
 * @typedef {{ judged: Judged, until: { steady: number, wall: number } }} PendingApproval a judged call and when its approval expires, by two clocks: one stops while the machine sleeps, the other can be changed
 */

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
  /** @type {Map<string, PendingApproval>} by {@link keyOf} call and id, because conversations may use the same ids */
  #pending = new Map();
  /** @type {AsyncLocalStorage<Approve | undefined>} the approver of the current call */
  #approver = new AsyncLocalStorage();

  /**
   * @param {(call: PolicyCall) => Promise<Judged>} judge
   * @param {() => number} timeoutMs
   */
  constructor(judge, timeoutMs) {
    this.#judge = judge;
    this.#timeoutMs = timeoutMs;
  }

  /** Returns the approver of the current call, if the SDK has approved it. */
  get answered() {
    return () => this.#approver.getStore();
  }

  /**
   * Adds approval by the SDK to a tool.
   * @template {AgentTool} Tool
   * @param {Tool} tool
   * @param {import('../tool_shape/tool_owner.js').DescribeCall} describeCall
   * @returns {Tool}
   */
  guard(tool, describeCall) {
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

  /**
   * @param {PolicyCall} call
   * @param {{ toolCallId?: string, messages?: any[] } | undefined} options
   */
  async #needsApproval(call, { toolCallId, messages } = {}) {
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

  /**
   * Consumes the approval of a call, whether or not the call needs it.
   * @param {() => PolicyCall | Promise<PolicyCall>} describeCall
   * @param {string | undefined} toolCallId
   * @returns {Promise<Approve | undefined>}
   */
  async #take(describeCall, toolCallId) {
    if (toolCallId === undefined || this.#pending.size === 0) return undefined;
    /** @type {PolicyCall} */
    let call;
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
    /** @type {Promise<Judged> | undefined} */
    let now;
    const judgedNow = () => {
      now ??= this.#judge(call);
      return now;
    };
    return async (request) => {
      const refused = (/** @type {string} */ reason) => ({ approved: false, by: NO_APPROVER, reason });
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

/** @param {import('../../index.js').ApprovalRequest} request */
function isRun({ effect }) {
  return effect === 'run';
}

/**
 * The hash of the text that was approved for a run.
 * @param {Judged} judged
 * @param {import('../../index.js').ApprovalRequest} request
 */
function textOf({ text, tests }, { tool, path }) {
  return tool === 'test_tool' ? tests.find(([test]) => test === path)?.[1] : text;
}

/**
 * @param {Judged} one
 * @param {Judged} other
 */
function isSameCall(one, other) {
  return one.text === other.text && JSON.stringify(one.also) === JSON.stringify(other.also);
}

/**
 * Whether a conversation has an open call with this id, so that the SDK is asking again. A provider may reuse an id: a call with a
 * result, or one before the last user message, is another call.
 * @param {any[] | undefined} messages
 * @param {string} toolCallId
 */
function isOpen(messages, toolCallId) {
  const all = messages ?? [];
  const latest = all.slice(all.findLastIndex((message) => message?.role === 'user') + 1);
  const count = (/** @type {string} */ role, /** @type {string} */ type) =>
    latest
      .filter((message) => message?.role === role && Array.isArray(message.content))
      .flatMap(({ content }) => content)
      .filter((part) => part?.type === type && part.toolCallId === toolCallId).length;
  return count('assistant', 'tool-call') > count('tool', 'tool-result') + count('assistant', 'tool-result');
}

/**
 * @param {string} toolCallId
 * @param {PolicyCall} call
 */
function keyOf(toolCallId, { tool, path, args }) {
  return createHash('sha256')
    .update(JSON.stringify([toolCallId, tool, path, args]))
    .digest('hex');
}
