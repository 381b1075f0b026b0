import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { dropOldest } from '../boundary/drop_oldest.js';

/**
 * @typedef {import('../../index.js').AgentTool} AgentTool
 * @typedef {import('../../index.js').Approve} Approve
 * @typedef {import('../tool_shape/tool_owner.js').ToldCall} ToldCall
 * @typedef {import('../boundary/crossing.js').Judged} Judged
 * @typedef {{ judged: Judged, until: { steady: number, wall: number } }} Asked what the SDK asks a person about, and when the answer expires by both clocks: one stops while the machine sleeps, the other can be set
 */

/** Calls that can wait for an answer at the same time. */
const MAX_ASKED = 1_000;
const BY = 'ai-sdk';

/**
 * The approvals of the AI SDK: it asks before a call whether somebody must approve it, and makes the call once somebody has. Each
 * answer counts once, in time, and for what it was asked about.
 */
export class SdkApprovals {
  #judge;
  #patienceMs;
  /** @type {Map<string, Asked>} by what {@link keyOf} makes of the call and its name: conversations may use the same names */
  #asked = new Map();
  /** @type {AsyncLocalStorage<Approve | undefined>} who has approved the call that is being made */
  #present = new AsyncLocalStorage();

  /**
   * @param {(call: ToldCall) => Promise<Judged>} judge
   * @param {() => number} patienceMs
   */
  constructor(judge, patienceMs) {
    this.#judge = judge;
    this.#patienceMs = patienceMs;
  }

  /** Who has approved the call that is being made, if the SDK has asked. */
  get answered() {
    return () => this.#present.getStore();
  }

  /**
   * A tool whose calls the SDK has approved.
   * @template {AgentTool} Tool
   * @param {Tool} tool
   * @param {import('../tool_shape/tool_owner.js').Told} callOf
   * @returns {Tool}
   */
  guard(tool, callOf) {
    return {
      ...tool,
      needsApproval: async (args, options) => {
        try {
          return await this.#isAsked(await callOf(args), options);
        } catch {
          // What cannot be judged cannot be done: the call itself says why.
          return false;
        }
      },
      execute: async (args, options) => {
        const approve = await this.#take(() => callOf(args), options?.toolCallId);
        return this.#present.run(approve, () => tool.execute(args, options));
      },
    };
  }

  /**
   * @param {ToldCall} call
   * @param {{ toolCallId?: string, messages?: any[] } | undefined} options
   */
  async #isAsked(call, { toolCallId, messages } = {}) {
    const judged = await this.#judge(call);
    if (judged.verdict?.verdict !== 'ask') return false;
    // The SDK asks again before it makes a call that was approved: what was approved is what it was at first.
    if (toolCallId === undefined || isOpen(messages, toolCallId)) return true;
    const key = keyOf(toolCallId, call);
    this.#asked.delete(key);
    dropOldest(this.#asked, MAX_ASKED);
    const ms = this.#patienceMs();
    this.#asked.set(key, { judged, until: { steady: performance.now() + ms, wall: Date.now() + ms } });
    return true;
  }

  /**
   * Uses an answer up, whether or not the call needs it.
   * @param {() => ToldCall | Promise<ToldCall>} callOf
   * @param {string | undefined} toolCallId
   * @returns {Promise<Approve | undefined>}
   */
  async #take(callOf, toolCallId) {
    if (toolCallId === undefined || this.#asked.size === 0) return undefined;
    /** @type {ToldCall} */
    let call;
    try {
      call = await callOf();
    } catch {
      // What cannot be judged cannot be done: the call itself says why.
      return undefined;
    }
    const key = keyOf(toolCallId, call);
    const asked = this.#asked.get(key);
    if (asked === undefined) return undefined;
    this.#asked.delete(key);
    /** @type {Promise<Judged> | undefined} */
    let now;
    const judgedNow = () => {
      now ??= this.#judge(call);
      return now;
    };
    return async (request) => {
      const refused = (/** @type {string} */ reason) => ({ approved: false, by: BY, reason });
      const { steady, wall } = asked.until;
      if (performance.now() > steady || Date.now() > wall) {
        return refused('The approval has expired (agent.approvalMs).');
      }
      if (request.tool !== call.tool) return refused(`Only ${call.tool} was approved.`);
      // A run says which text it is about; a call of many tests asks once for each of them.
      const isSame = isRun(request)
        ? request.text === textOf(asked.judged, request)
        : isSameCall(await judgedNow(), asked.judged);
      return isSame ? { approved: true, by: BY } : refused('It has changed since it was approved.');
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
 * Whether a conversation has a call that waits for its result, so that the SDK only makes sure. A provider may use a name again: a
 * call of that name which has its result, or was given up for what the user said next, is another.
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
 * @param {ToldCall} call
 */
function keyOf(toolCallId, { tool, path, args }) {
  return createHash('sha256')
    .update(JSON.stringify([toolCallId, tool, path, args]))
    .digest('hex');
}
