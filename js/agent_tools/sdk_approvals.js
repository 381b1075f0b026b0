import { AsyncLocalStorage } from 'node:async_hooks';
import { dropOldest } from '../boundary/drop_oldest.js';

/**
 * @typedef {import('../../index.js').AgentTool} AgentTool
 * @typedef {import('../../index.js').Approve} Approve
 * @typedef {import('../tool_shape/tool_owner.js').ToldCall} ToldCall
 * @typedef {{ verdict?: import('../../index.js').Verdict, text: string }} Judged
 * @typedef {{ about: string, text: string, until: number }} Asked what the SDK has somebody asked about
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
  /** @type {Map<string, Asked>} by the name that the SDK has for the call */
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
      execute: (args, options) =>
        this.#present.run(
          this.#take(() => callOf(args), options?.toolCallId),
          () => tool.execute(args, options),
        ),
    };
  }

  /**
   * @param {ToldCall} call
   * @param {{ toolCallId?: string, messages?: any[] } | undefined} options
   */
  async #isAsked(call, { toolCallId, messages } = {}) {
    const { verdict, text } = await this.#judge(call);
    if (verdict?.verdict !== 'ask') return false;
    // The SDK asks again before it makes a call that was approved: what was approved is what it was at first.
    if (toolCallId === undefined || isAnswered(messages, toolCallId)) return true;
    this.#asked.delete(toolCallId);
    dropOldest(this.#asked, MAX_ASKED);
    this.#asked.set(toolCallId, { about: aboutOf(call), text, until: Date.now() + this.#patienceMs() });
    return true;
  }

  /**
   * @param {() => ToldCall | Promise<ToldCall>} callOf
   * @param {string | undefined} toolCallId
   * @returns {Approve | undefined}
   */
  #take(callOf, toolCallId) {
    const asked = toolCallId === undefined ? undefined : this.#asked.get(toolCallId);
    if (toolCallId === undefined || asked === undefined) return undefined;
    this.#asked.delete(toolCallId);
    return async () => {
      const call = await callOf();
      const refused = (/** @type {string} */ reason) => ({ approved: false, by: BY, reason });
      if (Date.now() > asked.until) return refused('The approval has expired (agent.approvalMs).');
      const isSame = aboutOf(call) === asked.about && (await this.#judge(call)).text === asked.text;
      return isSame ? { approved: true, by: BY } : refused('It is not what it was when it was approved.');
    };
  }
}

/**
 * Whether a conversation has a call already, so that the SDK only makes sure.
 * @param {any[] | undefined} messages
 * @param {string} toolCallId
 */
function isAnswered(messages, toolCallId) {
  return (messages ?? []).some(
    ({ role, content }) =>
      role === 'assistant' &&
      Array.isArray(content) &&
      content.some((part) => part.type === 'tool-call' && part.toolCallId === toolCallId),
  );
}

/** @param {ToldCall} call */
function aboutOf({ tool, path, args }) {
  return JSON.stringify([tool, path, args]);
}
