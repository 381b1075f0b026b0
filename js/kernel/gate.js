/** Policy and approval gate for calls. */

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
 * @typedef {{ verdict: 'allow' | 'ask' | 'deny', by?: string, reason?: string, rule?: string, permanent?: readonly string[] }} ApprovalAnswer `permanent`: the conditions to omit from a rule that permanently allows the call
 * @typedef {{ error?: { code: string, message: string, details: string } }} AnyOutcome
 */

const NO_APPROVER = { verdict: /** @type {const} */ ('deny'), by: 'nobody', reason: 'There is no approver.' };

/** Calls the policy function and the approver, and reports their answers to the native part. A failure is a refusal. */
export class Gate {
  /** @type {Approve | undefined} */
  #approve;
  #log;
  /** @type {PolicyFunction | undefined} */
  decide;
  /** The policy file. @type {string | undefined} */
  file;
  /** Folders that must not contain the policy file. @type {string[]} */
  writable = [];
  /** Requests that a server handles for its clients. */
  requests = new ServedRequests();
  /** Approvers of runs, if different from the kernel's. @type {Map<number, Approve>} */
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
   * The caller, with the token and approver of the current request.
   * @param {import('./kernel_calls.js').Caller | undefined} caller
   */
  presentCaller(caller) {
    return this.requests.presentCaller(caller, this.#approve !== undefined);
  }

  /**
   * Makes a call. If it needs approval, asks the approver and repeats the call. While the ledger is full, the call waits.
   * @template {AnyOutcome} Outcome
   * @param {NativeKernel} kernel
   * @param {(approval?: string) => Promise<Outcome>} start
   * @param {import('./kernel_calls.js').Caller | undefined} caller with an approver if different from the kernel's
   * @param {AbortSignal | undefined} signal
   * @returns {Promise<Outcome>}
   */
  async pass(kernel, start, caller, signal) {
    const first = await start();
    if (first.error === undefined) return first;
    const outcome = await withRoom(start, isFull, signal, first);
    if (outcome.error?.code !== 'ERR_APPROVAL') return outcome;
    const { request, ...details } = parseForeignJson(outcome.error.details);
    if (request === undefined) return outcome;
    const isGranted = await this.#ask(kernel, request, this.approverOf(caller), signal);
    if (!isGranted) return { ...outcome, error: { ...outcome.error, details: JSON.stringify(details) } };
    return withRoom(() => start(request.id), isFull, signal);
  }

  /**
   * The approver for a caller.
   * @param {import('./kernel_calls.js').Caller | undefined} caller
   * @returns {Approve | undefined}
   */
  approverOf(caller) {
    return caller?.answered?.() ?? caller?.approve ?? this.#approve;
  }

  /**
   * Uses an approver for the requests of a run.
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
   * Asks the approver on behalf of a waiting run.
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
    const report = (/** @type {ApprovalAnswer} */ answer) => unwrap(kernel.answerApproval(id, JSON.stringify(answer)));
    const forget = () => void kernel.answerApproval(id, JSON.stringify(NO_APPROVER));
    try {
      throwIfAborted(signal);
      if (asked.rule === undefined) {
        const decide = this.decide;
        const ask = async (/** @type {import('../../index.js').PolicyCall} */ call) =>
          policyAnswer(await settled(decide?.(call)));
        const answer = await within('policy function', waitsMs, signal, this.#log, (over) =>
          strictestVerdict(callOf(asked), ask, over),
        );
        const verdict = report({ ...answer, by: 'policy' });
        if (verdict === null) return true;
        Object.assign(asked, verdict);
      }
      if (approve === undefined) {
        forget();
        return false;
      }
      const { permanent, ...answer } = await within('approver', waitsMs, signal, this.#log, async (over) =>
        answerOf(await settled(approve(/** @type {any} */ ({ ...asked, signal: over })))),
      );
      report(answer);
      if (permanent) await this.#allowPermanently(kernel, rule, rules, permanent, answer.by ?? 'application');
      return true;
    } catch (error) {
      if (signal?.aborted) forget();
      throw error;
    }
  }

  /**
   * Adds a rule. A failure is only logged, because the call itself was approved.
   * @param {NativeKernel} kernel
   * @param {import('./permanent_rule.js').PermanentRule | undefined} rule
   * @param {string} rules the policy version at the time of the request
   * @param {readonly string[]} any conditions to omit
   * @param {string} by
   */
  async #allowPermanently(kernel, rule, rules, any, by) {
    try {
      if (rule === undefined || this.file === undefined) {
        throw new Error('No rule can permanently allow this call: see "always" in docs/policy.md.');
      }
      const { file, writable } = this;
      await inTurn(file, async () => {
        await refuseWritablePolicy(file, writable);
        await writePermanentRule(kernel, file, withoutConditions(rule, any), by, rules);
      });
    } catch (error) {
      this.#log.warn(`The call was approved only once. ${messageOf(error)}`);
    }
  }
}

/**
 * An answer, or a refusal after a timeout or failure.
 * @param {'policy function' | 'approver'} decider
 * @param {number} waitsMs
 * @param {AbortSignal | undefined} signal
 * @param {import('../../index.js').Logger} log receives the reason of a failure, which is not shown to the caller
 * @param {(over: AbortSignal) => Promise<ApprovalAnswer>} ask receives a signal that fires when the answer is no longer awaited
 * @returns {Promise<ApprovalAnswer>}
 */
async function within(decider, waitsMs, signal, log, ask) {
  const over = new AbortController();
  const asked = beforeDeadline(async () => ask(over.signal), waitsMs).catch((error) => {
    /** @type {ApprovalAnswer} */
    const refusal = { verdict: 'deny', by: 'nobody', reason: `The ${decider} did not answer in time.` };
    if (error instanceof TooLate) return refusal;
    log.error(`The ${decider} failed; the call was refused.`, error);
    return { ...refusal, reason: `The ${decider} failed.` };
  });
  try {
    return await untilAborted(asked, signal);
  } finally {
    over.abort();
  }
}

/**
 * Validates the answer of an approver.
 * @param {any} answer
 * @returns {ApprovalAnswer}
 */
function answerOf(answer) {
  if (answer === true) return { verdict: 'allow', by: 'application' };
  if (answer === false) return { verdict: 'deny', by: 'application' };
  const { approved, always, by, reason } = answer ?? {};
  if (typeof approved !== 'boolean') {
    throw new TypeError('approve returned neither true, false nor { approved }.');
  }
  return {
    verdict: approved ? 'allow' : 'deny',
    by: by === undefined ? 'application' : String(by).toWellFormed(),
    ...(reason !== undefined && { reason: String(reason).toWellFormed() }),
    ...(approved && always !== undefined && always !== false && { permanent: omittedConditions(always) }),
  };
}

/**
 * The conditions to omit from a permanent rule.
 * @param {any} always
 * @returns {readonly string[]}
 */
function omittedConditions(always) {
  if (always === true) return [];
  if (Array.isArray(always?.any) && always.any.every((/** @type {unknown} */ name) => typeof name === 'string')) {
    return always.any;
  }
  throw new TypeError('approve returned an "always" that is neither true nor { any: [names of conditions] }.');
}

/**
 * Validates the answer of the application's policy function.
 * @param {any} answer
 * @returns {ApprovalAnswer}
 */
function policyAnswer(answer) {
  const { verdict, rule, reason } = typeof answer === 'string' ? { verdict: answer } : (answer ?? {});
  if (verdict !== 'allow' && verdict !== 'ask' && verdict !== 'deny') {
    throw new TypeError("the policy function returned neither 'allow', 'ask' nor 'deny'.");
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
 * Whether the ledger was full, so that the call was not made.
 * @param {AnyOutcome} outcome
 */
function isFull({ error }) {
  return error?.code === 'ERR_LEDGER' && parseForeignJson(error.details).reason === 'full';
}
