/** Who says yes to what a command does: `--yes`, or the person at the terminal. */

import { userInfo } from 'node:os';
import { confirm, isCancel, selectKey } from '@clack/prompts';
import { ApprovalError } from '../boundary/errors.js';
import { harmless } from '../boundary/harmless.js';
import { callText, requestText } from '../kernel/request_text.js';
import { withoutProgress } from './screen.js';

/**
 * @typedef {import('../../index.js').ApprovalRequest} ApprovalRequest
 * @typedef {{ approved: boolean, by: string, always?: boolean, reason?: string }} Answer
 */

/** The keys that are answers. */
const ONCE = 'y';
const ALWAYS = 'a';
const NO = 'n';
const MAX_RULE_CHARS = 300;
const YES = { approved: true, by: 'cli --yes' };

export class Approver {
  #isYes;
  /** The tool that the command itself asks for. @type {string | undefined} */
  #typed;
  /** Questions come one after the other. @type {Promise<unknown>} */
  #turn = Promise.resolve();
  /** The commit that somebody has approved. @type {Answer | undefined} */
  #commit;
  /** The last refusal, in words for people. @type {string | undefined} */
  #refusal;

  /** @param {{ yes?: boolean, typed?: string | undefined }} options `typed`: whoever typed the command has asked for that tool */
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
    // Nobody who types `tgp test` wants to be asked whether tests may run; a rule that asks is another matter.
    if (request.tool === this.#typed && request.rule === 'default') return { approved: true, by: userName() };
    // `tgp commit` brings the list of tools up to date: nobody wants to be asked about that too.
    if (request.tool === 'sync_registry' && this.#commit)
      return { ...this.#commit, reason: 'It is part of the commit.' };
    const answer = this.#turn.then(() => this.#ask(request));
    this.#turn = answer.catch(() => {});
    const given = await answer;
    if (given.approved && request.tool === 'commit') this.#commit = given;
    return given;
  };

  /**
   * An error in words for people: those of the kernel are for models.
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
    const agreed = await withoutProgress(() => question(request));
    if (agreed === true || agreed === ONCE) return { approved: true, by: userName() };
    if (agreed === ALWAYS) return { approved: true, always: true, by: userName() };
    const { rule, at } = request;
    const why = isCancel(agreed) ? 'nobody has answered' : 'you said no';
    this.#refusal = `${callText(request)} was not approved: ${why} (rule '${rule}', ${at}).`;
    return { approved: false, by: userName() };
  }
}

/**
 * Where a rule could allow it for good, that can be answered too: one that is shown whole.
 * @param {ApprovalRequest} request
 * @returns {Promise<boolean | string | symbol>}
 */
function question(request) {
  const { always, signal } = request;
  // Standard output is for results.
  const asked = { message: `${requestText(request)} Allow?`, withGuide: false, output: process.stderr, signal };
  const rule = always === undefined ? '' : ruleText(always);
  if (rule === '' || rule.length > MAX_RULE_CHARS) return confirm({ ...asked, initialValue: false });
  return selectKey({
    ...asked,
    initialValue: NO,
    options: [
      // What Enter without a choice is taken for comes first.
      { value: NO, label: 'No' },
      { value: ONCE, label: 'Yes, this once' },
      { value: ALWAYS, label: 'Always', hint: `a rule in the policy file: ${harmless(rule, MAX_RULE_CHARS)}` },
    ],
  });
}

/** @param {NonNullable<ApprovalRequest['always']>} rule */
function ruleText(rule) {
  const conditions = Object.entries(rule).map(([key, values]) => `${key} ${[values].flat().join(', ')}`);
  return conditions.join('; ');
}

/** Whether somebody can be asked: arguments from standard input leave nothing of it. */
function isTerminal() {
  return process.stdin.isTTY && process.stderr.isTTY && !process.stdin.readableEnded;
}

function userName() {
  try {
    return userInfo().username;
  } catch {
    // In containers a user may have a number and no name.
    return `user ${process.getuid?.()}`;
  }
}
