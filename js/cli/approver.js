/** Approves what a command does: `--yes`, or the person at the terminal. */

import { ApprovalError } from '../boundary/errors.js';
import { callText, requestText } from '../kernel/request_text.js';
import { isTerminal } from './agent_keys.js';
import { withoutProgress } from './screen.js';
import { askAtTerminal, userName } from './terminal_question.js';

/**
 * @typedef {import('../../index.js').ApprovalRequest} ApprovalRequest
 * @typedef {import('./terminal_question.js').Answer} Answer
 */

const YES = { approved: true, by: 'cli --yes' };

export class Approver {
  #isYes;
  /** The tool that the command itself asks for. @type {string | undefined} */
  #typed;
  /** Questions come one after the other. @type {Promise<unknown>} */
  #turn = Promise.resolve();
  /** The approval of the commit. @type {Answer | undefined} */
  #commit;
  /** The last refusal, as a message for people. @type {string | undefined} */
  #refusal;

  /** @param {{ yes?: boolean, typed?: string | undefined }} options `typed`: the tool that the command itself is for */
  constructor({ yes = false, typed }) {
    this.#isYes = yes;
    this.#typed = typed;
  }

  /**
   * @param {ApprovalRequest} request
   * @returns {Promise<Answer>}
   */
  approve = async (request) => {
    if (this.#isYes) return YES;
    // The user who types `tgp test` has asked for tests; a rule that asks is another matter.
    if (request.tool === this.#typed && request.rule === 'default') return { approved: true, by: userName() };
    // `tgp commit` brings the list of tools up to date: that is part of the same approval.
    if (request.tool === 'sync_registry' && this.#commit)
      return { approved: true, by: this.#commit.by, reason: 'It is part of the commit.' };
    const answer = this.#turn.then(() => this.#ask(request));
    this.#turn = answer.catch(() => {});
    const given = await answer;
    if (given.approved && request.tool === 'commit') this.#commit = given;
    return given;
  };

  /**
   * An error with a message for people: those of the kernel are for models.
   * @param {unknown} error
   */
  explained(error) {
    if (!(error instanceof ApprovalError) || this.#refusal === undefined) return error;
    return new ApprovalError(this.#refusal, { details: error.details, cause: error });
  }

  /**
   * @param {ApprovalRequest} request
   * @returns {Promise<Answer>}
   */
  async #ask(request) {
    if (!isTerminal()) {
      this.#refusal = `It needs approval, and there is no terminal to ask at: ${requestText(request)} Add --yes, or allow it in a policy (tgp.policy.yaml beside the config, docs/policy.md).`;
      return { approved: false, by: 'nobody', reason: 'There is no terminal to ask at. --yes approves everything.' };
    }
    const { key, ...answer } = await withoutProgress(() => askAtTerminal(request));
    if (answer.approved) return answer;
    const { rule, at } = request;
    const why = answer.reason ?? (key === 'n' || key === '' ? 'you refused it' : 'there was no answer');
    this.#refusal = `${callText(request)} was not approved: ${why} (rule '${rule}', ${at}).`;
    return answer;
  }
}
