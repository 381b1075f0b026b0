/** The approver of an agent run: shows the change at the terminal and reads the answer as one key. */

import { renderedRequest } from '../../kernel/approvals/request_text.js';
import type { ApprovalRequest } from '../../types/policy.js';
import { INTERRUPT, isTerminal } from '../terminal/agent_keys.js';
import type { AgentScreen } from '../terminal/agent_screen.js';
import type { Answer } from '../terminal/terminal_question.js';
import { askAtTerminal, userName } from '../terminal/terminal_question.js';
import type { ReadText } from './agent_diff.js';
import { changeOf } from './agent_diff.js';

export class AgentApprovals {
  #screen;
  #read;
  #interrupt;
  /** The previous question: questions are asked one at a time. */
  #lastQuestion: Promise<unknown> = Promise.resolve();
  /** Whether all further requests of this run are approved. */
  #isRestApproved = false;

  /** @param interrupt ends the run */
  constructor(screen: AgentScreen, read: ReadText, interrupt: () => void) {
    this.#screen = screen;
    this.#read = read;
    this.#interrupt = interrupt;
  }

  approve = (request: ApprovalRequest): Promise<Answer> => {
    const answer = this.#lastQuestion.then(() => this.#ask(request));
    this.#lastQuestion = answer.catch(() => {});
    return answer;
  };

  async #ask(request: ApprovalRequest): Promise<Answer> {
    if (!isTerminal()) {
      const reason =
        'Approval needs a terminal, and there is none. Add --yes, or allow the call in a policy (docs/policy.md).';
      return { approved: false, by: 'nobody', reason };
    }
    // A request that a terminal cannot show in full is refused there, even if all further requests are approved.
    if (this.#isRestApproved && renderedRequest(request).isWhole) return { approved: true, by: userName() };
    return this.#screen.aside(() => this.#atTerminal(request));
  }

  async #atTerminal(request: ApprovalRequest): Promise<Answer> {
    // If no diff can be made, the request is shown with its arguments.
    const change = await changeOf(request, this.#read).catch(() => undefined);
    const { key, ...answer } = await askAtTerminal(request, { change, hasRest: true });
    if (key === INTERRUPT) this.#interrupt();
    if (key === 'r') this.#isRestApproved = true;
    return answer;
  }
}
