/** Who says yes to what an agent does: the person at the terminal, who sees what would change and answers with one key. */

import { userInfo } from 'node:os';
import { requestText } from '../kernel/request_text.js';
import { changeOf } from './agent_diff.js';
import { askForKey, INTERRUPT, isTerminal } from './agent_keys.js';
import { painted } from './agent_screen.js';
import { withinWidth } from './agent_width.js';
import { fitted } from './screen.js';

/**
 * @typedef {import('../../index.js').ApprovalRequest} ApprovalRequest
 * @typedef {import('./agent_diff.js').DiffLine} DiffLine
 * @typedef {{ approved: boolean, always?: boolean, by: string, reason?: string }} Answer
 */

/** Lines of a change that are shown before somebody asks for more. */
const SHOWN_LINES = 24;
const DEFAULT_COLUMNS = 80;
/** @type {Record<DiffLine['sign'], import('./agent_text.js').Colour>} */
const COLOURS = { '+': 'green', '-': 'red', ' ': 'dim', '…': 'dim' };

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
    if (this.#isRestApproved) return { approved: true, by: userName() };
    return this.#screen.aside(() => this.#atTerminal(request));
  }

  /**
   * @param {ApprovalRequest} request
   * @returns {Promise<Answer>}
   */
  async #atTerminal(request) {
    const lines = await changeOf(request, this.#read).catch(() => []);
    // A change says what the arguments say.
    const asked = requestText(lines.length > 0 ? { ...request, args: undefined } : request);
    process.stderr.write(`${painted('yellow', '?')} ${fitted(asked, 2, process.stderr.columns)}\n`);
    show(lines.slice(0, SHOWN_LINES));
    let hidden = Math.max(0, lines.length - SHOWN_LINES);
    for (;;) {
      const more = hidden > 0 ? `, ${hidden} [m]ore lines` : '';
      const always = request.always === undefined ? '' : ', [a]lways';
      const question = `  Allow? [y]es, [n]o${always}, all the [r]est${more} `;
      const keys = ['y', 'n', 'r', ...(request.always === undefined ? [] : ['a']), ...(hidden > 0 ? ['m'] : [])];
      const key = await askForKey(question, keys, request.signal);
      process.stderr.write(`${WORDS[key] ?? 'no'}\n`);
      if (key === 'm') {
        show(lines.slice(SHOWN_LINES));
        hidden = 0;
        continue;
      }
      if (key === INTERRUPT) this.#interrupt();
      if (key === 'r') this.#isRestApproved = true;
      return {
        approved: ['y', 'a', 'r'].includes(key),
        by: userName(),
        ...(key === 'a' && { always: true }),
      };
    }
  }
}

/** @type {Record<string, string>} */
const WORDS = { y: 'yes', n: 'no', a: 'always', r: 'yes, and all the rest', m: 'more', [INTERRUPT]: 'no' };

/** @param {DiffLine[]} lines */
function show(lines) {
  const columns = (process.stderr.columns ?? DEFAULT_COLUMNS) - 5;
  for (const { sign, text } of lines) {
    const shown = withinWidth(text.replaceAll('\t', '  '), columns);
    process.stderr.write(`  ${painted(COLOURS[sign], `${sign} ${shown}`.trimEnd())}\n`);
  }
}

function userName() {
  try {
    return userInfo().username;
  } catch {
    // In containers a user may have a number and no name.
    return `user ${process.getuid?.()}`;
  }
}
