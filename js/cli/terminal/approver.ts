/** The approver of a command: `--yes`, or a question at the terminal. */

import { ApprovalError } from '../../boundary/errors.js';
import { callText, requestText } from '../../kernel/approvals/request_text.js';
import type { ApprovalRequest } from '../../types/policy.js';
import { isTerminal } from './agent_keys.js';
import { withoutProgress } from './screen.js';
import type { Answer } from './terminal_question.js';
import { askAtTerminal, userName } from './terminal_question.js';

const YES = { approved: true, by: 'cli --yes' };

export class Approver {
  #isYes;
  /** The tool that the command itself calls. */
  #typed: string | undefined;
  /** The previous question: questions are asked one at a time. */
  #lastQuestion: Promise<unknown> = Promise.resolve();
  /** The approval of the commit. */
  #commit: Answer | undefined;
  /** The last refusal, as a message for people. */
  #refusal: string | undefined;

  /** @param options `typed`: the tool that the command itself calls */
  constructor({ yes = false, typed }: { yes?: boolean; typed?: string | undefined }) {
    this.#isYes = yes;
    this.#typed = typed;
  }

  approve = async (request: ApprovalRequest): Promise<Answer> => {
    if (this.#isYes) return YES;
    // Typing `tgp test` approves the tests, unless a rule (not the default) requires approval.
    if (request.tool === this.#typed && request.rule === 'default') return { approved: true, by: userName() };
    // `tgp commit` also updates the tool list: the approval of the commit covers that.
    if (request.tool === 'sync_registry' && this.#commit)
      return { approved: true, by: this.#commit.by, reason: 'Covered by the approval of the commit.' };
    const answer = this.#lastQuestion.then(() => this.#ask(request));
    this.#lastQuestion = answer.catch(() => {});
    const decision = await answer;
    if (decision.approved && request.tool === 'commit') this.#commit = decision;
    return decision;
  };

  /** Replaces a kernel error, whose message is written for models, by one with a message for people. */
  explained(error: unknown) {
    if (!(error instanceof ApprovalError) || this.#refusal === undefined) return error;
    return new ApprovalError(this.#refusal, { details: error.details, cause: error });
  }

  async #ask(request: ApprovalRequest): Promise<Answer> {
    if (!isTerminal()) {
      this.#refusal = `Approval is required, but there is no terminal: ${requestText(request)} Add --yes, or allow the call in a policy (tgp.policy.yaml beside the config, docs/policy.md).`;
      return {
        approved: false,
        by: 'nobody',
        reason: 'Approval needs a terminal, and there is none. Add --yes to approve every call.',
      };
    }
    const { key, ...answer } = await withoutProgress(() => askAtTerminal(request));
    if (answer.approved) return answer;
    const { rule, at } = request;
    const why =
      answer.reason ?? (key === 'n' || key === '' ? 'you refused it' : 'the question was closed without an answer');
    this.#refusal = `${callText(request)} was not approved: ${why} (rule '${rule}', ${at}).`;
    return answer;
  }
}
