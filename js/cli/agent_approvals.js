/** Who says yes to what an agent does: the person at the terminal, who sees what would change and answers with one key. */

import { renderedRequest } from '../kernel/request_text.js';
import { changeOf } from './agent_diff.js';
import { INTERRUPT, isTerminal } from './agent_keys.js';
import { askAtTerminal, userName } from './terminal_question.js';

/**
 * @typedef {import('../../index.js').ApprovalRequest} ApprovalRequest
 * @typedef {import('./terminal_question.js').Answer} Answer
 */

export class AgentApprovals {
  #screen;
  #read;
  #interrupt;
  /** Questions come one after the other. @type {Promise<unknown>} */
  #turn = Promise.resolve();
  /** Whether all that is still asked is approved. */
  #isRestApproved = false;

  /**
   * @param {import('./agent_screen.js').AgentScreen} screen
   * @param {import('./agent_diff.js').ReadText} read
   * @param {() => void} interrupt ends the run
   */
  constructor(screen, read, interrupt) {
    this.#screen = screen;
    this.#read = read;
    this.#interrupt = interrupt;
  }

  /**
   * @param {ApprovalRequest} request
   * @returns {Promise<Answer>}
   */
  approve = (request) => {
    const answer = this.#turn.then(() => this.#ask(request));
    this.#turn = answer.catch(() => {});
    return answer;
  };

  /**
   * @param {ApprovalRequest} request
   * @returns {Promise<Answer>}
   */
  async #ask(request) {
    if (!isTerminal()) {
      const reason =
        'There is no terminal to ask at. --yes approves everything, and a policy can allow it (docs/policy.md).';
      return { approved: false, by: 'nobody', reason };
    }
    // What no terminal can show whole is refused there, also when all the rest was approved.
    if (this.#isRestApproved && renderedRequest(request).isWhole) return { approved: true, by: userName() };
    return this.#screen.aside(() => this.#atTerminal(request));
  }

  /**
   * @param {ApprovalRequest} request
   * @returns {Promise<Answer>}
   */
  async #atTerminal(request) {
    // What cannot be compared is shown as it was asked.
    const change = await changeOf(request, this.#read).catch(() => undefined);
    const { key, ...answer } = await askAtTerminal(request, { change, hasRest: true });
    if (key === INTERRUPT) this.#interrupt();
    if (key === 'r') this.#isRestApproved = true;
    return answer;
  }
}
