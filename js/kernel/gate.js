import { throwIfAborted, untilAborted } from '../boundary/abort.js';
import { beforeDeadline, TooLate } from '../boundary/deadline.js';
import { unwrap } from '../boundary/errors.js';
import { parseForeignJson } from '../boundary/foreign_json.js';
import { settled } from '../boundary/foreign_promise.js';
import { messageOf } from '../boundary/thrown.js';
import { withRoom } from './ledger_room.js';
import { withoutConditions, writePermanentRule } from './permanent_rule.js';
import { inTurn, refuseWritablePolicy } from './policy_source.js';
import { ServedRequests } from './served_requests.js';
import { strictestVerdict } from './strictest_verdict.js';

/**
 * @typedef {import('../boundary/typed_native.js').NativeKernel} NativeKernel
 * @typedef {import('../../index.js').Approve} Approve
 * @typedef {import('../../index.js').PolicyFunction} PolicyFunction
 * @typedef {{ verdict: 'allow' | 'ask' | 'deny', by?: string, reason?: string, rule?: string, forGood?: readonly string[] }} Word `forGood`: what a rule that allows it for good leaves open
 * @typedef {{ error?: { code: string, message: string, details: string } }} AnyOutcome
 */

const NOBODY = { verdict: /** @type {const} */ ('deny'), by: 'nobody', reason: 'There is no approver.' };

/** Asks the policy function and the approver, and reports their answers to the native part. What fails is a refusal. */
export class Gate {
  /** @type {Approve | undefined} */
  #approve;
  #log;
  /** @type {PolicyFunction | undefined} */
  decide;
  /** The file that the rules are in. @type {string | undefined} */
  file;
  /** Folders that it must not be in. @type {string[]} */
  writable = [];
  /** Requests that are served for others. */
  requests = new ServedRequests();
  /** The approver of what a run asks for, where that is not the kernel's own. @type {Map<number, Approve>} */
  #ofRuns = new Map();

  /**
   * @param {Approve | undefined} approve
   * @param {import('../../index.js').Logger} log
   */
  constructor(approve, log) {
    this.#approve = approve;
    this.#log = log;
  }

  /**
   * Who asks, with what the request adds that is being served.
   * @param {import('./kernel_calls.js').CallerIdentity | undefined} who
   */
  asker(who) {
    return this.requests.asker(who, this.#approve !== undefined);
  }

  /**
   * A call; where it needs approval, the approver is asked and the call made again. Where the ledger has more to write than
   * it can keep, the call waits a while.
   * @template {AnyOutcome} Outcome
   * @param {NativeKernel} kernel
   * @param {(approval?: string) => Promise<Outcome>} start
   * @param {import('./kernel_calls.js').CallerIdentity | undefined} who the caller, with an approver where that is not the kernel's own
   * @param {AbortSignal | undefined} signal
   * @returns {Promise<Outcome>}
   */
  async pass(kernel, start, who, signal) {
    const outcome = await this.#withRoom(start, signal);
    if (outcome.error?.code !== 'ERR_APPROVAL') return outcome;
    const { request, ...details } = parseForeignJson(outcome.error.details);
    if (request === undefined) return outcome;
    const isGranted = await this.#ask(kernel, request, this.approverOf(who), signal);
    if (!isGranted) return { ...outcome, error: { ...outcome.error, details: JSON.stringify(details) } };
    return this.#withRoom(() => start(request.id), signal);
  }

  /**
   * @template {AnyOutcome} Outcome
   * @param {() => Promise<Outcome>} start
   * @param {AbortSignal | undefined} signal
   */
  #withRoom(start, signal) {
    return withRoom(start, isFull, signal);
  }

  /**
   * Who approves the calls of a caller.
   * @param {import('./kernel_calls.js').CallerIdentity | undefined} who
   * @returns {Approve | undefined}
   */
  approverOf(who) {
    return who?.answered?.() ?? who?.approve ?? this.#approve;
  }

  /**
   * Has what a run asks for approved by an approver of its own.
   * @template T
   * @param {number} runId
   * @param {Approve | undefined} approve
   * @param {() => Promise<T>} work
   */
  during(runId, approve, work) {
    if (approve === undefined) return work();
    this.#ofRuns.set(runId, approve);
    return work().finally(() => this.#ofRuns.delete(runId));
  }

  /**
   * Asks on behalf of a run that waits.
   * @param {NativeKernel} kernel
   * @param {any} request
   * @param {import('./host_functions.js').CallOf} call
   */
  async askFor(kernel, request, { runId, contextId, signal }) {
    const approve = this.#ofRuns.get(contextId) ?? this.#ofRuns.get(runId) ?? this.#approve;
    return (await this.#ask(kernel, request, approve, signal)) ? 'granted' : null;
  }

  /**
   * @param {NativeKernel} kernel
   * @param {any} request
   * @param {Approve | undefined} approve
   * @param {AbortSignal | undefined} signal
   * @returns {Promise<boolean>} false when there is no approver; a refusal is an error
   */
  async #ask(kernel, { id, waitsMs, always, rules, ...request }, approve, signal) {
    const rule = this.file === undefined ? undefined : (always ?? undefined);
    /** @type {Record<string, unknown>} */
    const asked = { id, ...withoutNulls(request), ...(rule && { always: rule }) };
    const settle = (/** @type {Word} */ word) => unwrap(kernel.settle(id, JSON.stringify(word)));
    const forget = () => void kernel.settle(id, JSON.stringify(NOBODY));
    try {
      throwIfAborted(signal);
      if (asked.rule === undefined) {
        const decide = this.decide;
        const ask = async (/** @type {import('../../index.js').PolicyCall} */ call) =>
          wordOf(await settled(decide?.(call)));
        const word = await within(waitsMs, signal, this.#log, (over) => strictestVerdict(callOf(asked), ask, over));
        const verdict = settle({ ...word, by: 'policy' });
        if (verdict === null) return true;
        Object.assign(asked, verdict);
      }
      if (approve === undefined) {
        forget();
        return false;
      }
      const { forGood, ...word } = await within(waitsMs, signal, this.#log, async (over) =>
        answerOf(await settled(approve(/** @type {any} */ ({ ...asked, signal: over })))),
      );
      settle(word);
      if (forGood) await this.#allowForGood(kernel, rule, rules, forGood, word.by ?? 'application');
      return true;
    } catch (error) {
      if (signal?.aborted) forget();
      throw error;
    }
  }

  /**
   * Writes the rule; the call goes on without it, because it was approved.
   * @param {NativeKernel} kernel
   * @param {import('./permanent_rule.js').PermanentRule | undefined} rule
   * @param {string} rules the version that the question was asked under
   * @param {readonly string[]} any conditions that it leaves out
   * @param {string} by
   */
  async #allowForGood(kernel, rule, rules, any, by) {
    try {
      if (rule === undefined || this.file === undefined) {
        throw new Error('No rule can allow this for good: see "always" in docs/policy.md.');
      }
      const { file, writable } = this;
      await inTurn(file, async () => {
        await refuseWritablePolicy(file, writable);
        await writePermanentRule(kernel, file, withoutConditions(rule, any), by, rules);
      });
    } catch (error) {
      this.#log.warn(`The call was approved this once. ${messageOf(error)}`);
    }
  }
}

/**
 * An answer, or a refusal when it takes too long or fails.
 * @param {number} waitsMs
 * @param {AbortSignal | undefined} signal
 * @param {import('../../index.js').Logger} log hears why it failed: that is not for the caller
 * @param {(over: AbortSignal) => Promise<Word>} ask gets a signal that fires when the answer is no longer awaited
 * @returns {Promise<Word>}
 */
async function within(waitsMs, signal, log, ask) {
  const over = new AbortController();
  const asked = beforeDeadline(async () => ask(over.signal), waitsMs).catch((error) => {
    /** @type {Word} */
    const no = { verdict: 'deny', by: 'nobody', reason: 'The approval timed out.' };
    if (error instanceof TooLate) return no;
    log.error('The approver or the policy function failed, so the call was refused.', error);
    return { ...no, reason: 'The approver failed.' };
  });
  try {
    return await untilAborted(asked, signal);
  } finally {
    over.abort();
  }
}

/**
 * The answer of an approver.
 * @param {any} answer
 * @returns {Word}
 */
function answerOf(answer) {
  if (answer === true) return { verdict: 'allow', by: 'application' };
  if (answer === false) return { verdict: 'deny', by: 'application' };
  const { approved, always, by, reason } = answer ?? {};
  if (typeof approved !== 'boolean') {
    throw new TypeError('approve gave neither true, false nor { approved }.');
  }
  return {
    verdict: approved ? 'allow' : 'deny',
    by: by === undefined ? 'application' : String(by).toWellFormed(),
    ...(reason !== undefined && { reason: String(reason).toWellFormed() }),
    ...(approved && always !== undefined && always !== false && { forGood: leftOpen(always) }),
  };
}

/**
 * What a rule is to leave open.
 * @param {any} always
 * @returns {readonly string[]}
 */
function leftOpen(always) {
  if (always === true) return [];
  if (Array.isArray(always?.any) && always.any.every((/** @type {unknown} */ name) => typeof name === 'string')) {
    return always.any;
  }
  throw new TypeError('approve gave an "always" that is neither true nor { any: [names of conditions] }.');
}

/**
 * The answer of the application's policy function.
 * @param {any} answer
 * @returns {Word}
 */
function wordOf(answer) {
  const { verdict, rule, reason } = typeof answer === 'string' ? { verdict: answer } : (answer ?? {});
  if (verdict !== 'allow' && verdict !== 'ask' && verdict !== 'deny') {
    throw new TypeError("the policy function gave neither 'allow', 'ask' nor 'deny'.");
  }
  return {
    verdict,
    ...(rule !== undefined && { rule: String(rule).toWellFormed() }),
    ...(reason !== undefined && { reason: String(reason).toWellFormed() }),
  };
}

/** @param {any} asked */
function callOf({ id: _, ...call }) {
  return call;
}

/** @param {Record<string, unknown>} values */
function withoutNulls(values) {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null));
}

/**
 * Whether the ledger had no room for the intent of a call, which then was not made.
 * @param {AnyOutcome} outcome
 */
function isFull({ error }) {
  return error?.code === 'ERR_LEDGER' && parseForeignJson(error.details).reason === 'full';
}
