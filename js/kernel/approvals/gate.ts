/** Policy and approval gate for calls. */

import { throwIfAborted, untilAborted } from '../../boundary/abort.js';
import type { Caller } from '../../boundary/caller.js';
import type { DeciderAnswer, SentRequest, Verdict } from '../../boundary/crossing.js';
import { beforeDeadline, TooLate } from '../../boundary/deadline.js';
import { isRecord, parseForeignJson } from '../../boundary/foreign_json.js';
import { settled } from '../../boundary/foreign_promise.js';
import { messageOf } from '../../boundary/thrown.js';
import type { NativeKernel } from '../../boundary/typed_native.js';
import { unwrap } from '../../boundary/unwrap.js';
import type { Logger } from '../../types/kernel.js';
import type { ApprovalRequest, Approve, PolicyCall, PolicyFunction } from '../../types/policy.js';
import type { CallOf } from '../functions/host_functions.js';
import { withRoom } from '../ledger/ledger_room.js';
import { inTurn, refuseWritablePolicy } from '../policy/policy_source.js';
import type { PermanentRule } from './permanent_rule.js';
import { withoutConditions, writePermanentRule } from './permanent_rule.js';
import { ServedRequests } from './served_requests.js';
import { strictestVerdict } from './strictest_verdict.js';

/** A checked answer. `permanent`: the conditions to omit from a rule that permanently allows the call. */
type CheckedAnswer = DeciderAnswer & { permanent?: readonly string[] };
/** A request of the native part. It has no rule before the policy function has decided. */
export type NativeRequest = SentRequest & Partial<Verdict>;
/** The call of a request. */
type AskedCall = Omit<NativeRequest, 'waitsMs' | 'rules'>;
type AnyOutcome = { error?: { code: string; message: string; details: string } };

const NO_APPROVER = { verdict: 'deny' as const, by: 'nobody', reason: 'There is no approver.' };

/** Calls the policy function and the approver, and reports their answers to the native part. A failure is a refusal. */
export class Gate {
  #approve: Approve | undefined;
  #log;
  decide: PolicyFunction | undefined;
  /** The policy file. */
  file: string | undefined;
  /** Folders that must not contain the policy file. */
  writable: string[] = [];
  /** Requests that a server handles for its clients. */
  requests = new ServedRequests();
  /** Approvers of runs, if different from the kernel's. */
  #ofRuns = new Map<number, Approve>();

  constructor(approve: Approve | undefined, log: Logger) {
    this.#approve = approve;
    this.#log = log;
  }

  /** The caller, with the token and approver of the current request. */
  withRequest(caller: Caller | undefined) {
    return this.requests.withRequest(caller, this.#approve !== undefined);
  }

  /**
   * Makes a call. If it needs approval, asks the approver and repeats the call. While the ledger is full, the call waits.
   * @param caller with an approver if different from the kernel's
   */
  async pass<Outcome extends AnyOutcome>(
    kernel: NativeKernel,
    start: (approval?: string) => Promise<Outcome>,
    caller: Caller | undefined,
    signal: AbortSignal | undefined,
  ): Promise<Outcome> {
    const first = await start();
    if (first.error === undefined) return first;
    const outcome = await withRoom(start, isFull, signal, first);
    if (outcome.error?.code !== 'ERR_APPROVAL') return outcome;
    const { request, ...details } = parseForeignJson(outcome.error.details) as { request?: NativeRequest };
    if (request === undefined) return outcome;
    const isGranted = await this.#ask(kernel, request, this.approverOf(caller), signal);
    if (!isGranted) return { ...outcome, error: { ...outcome.error, details: JSON.stringify(details) } };
    return withRoom(() => start(request.id), isFull, signal);
  }

  /** The approver for a caller. */
  approverOf(caller: Caller | undefined): Approve | undefined {
    return caller?.answered?.() ?? caller?.approve ?? this.#approve;
  }

  /** Uses an approver for the requests of a run. */
  during<T>(runId: number, approve: Approve | undefined, work: () => Promise<T>) {
    if (approve === undefined) return work();
    this.#ofRuns.set(runId, approve);
    return work().finally(() => this.#ofRuns.delete(runId));
  }

  /** Asks the approver on behalf of a waiting run. */
  async askFor(kernel: NativeKernel, request: NativeRequest, { runId, contextId, signal }: CallOf) {
    const approve = this.#ofRuns.get(contextId) ?? this.#ofRuns.get(runId) ?? this.#approve;
    return (await this.#ask(kernel, request, approve, signal)) ? 'granted' : null;
  }

  /** @returns false when there is no approver; a refusal is an error */
  async #ask(
    kernel: NativeKernel,
    { id, waitsMs, always, rules, ...request }: NativeRequest,
    approve: Approve | undefined,
    signal: AbortSignal | undefined,
  ): Promise<boolean> {
    const rule = this.file === undefined ? undefined : always;
    const call = { ...request, ...(rule && { always: rule }) };
    const asked: AskedCall = { id, ...call };
    const report = (answer: DeciderAnswer) => unwrap(kernel.answerApproval(id, JSON.stringify(answer)));
    const forget = () => void kernel.answerApproval(id, JSON.stringify(NO_APPROVER));
    try {
      throwIfAborted(signal);
      if (asked.rule === undefined) {
        const decide = this.decide;
        const ask = async (part: PolicyCall) => policyAnswer(await settled(decide?.(part)));
        const answer = await within('policy function', waitsMs, signal, this.#log, (over) =>
          strictestVerdict(call, ask, over),
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
        // The rule is known now.
        answerOf(await settled(approve({ ...asked, signal: over } as ApprovalRequest))),
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
   * @param rules the policy version at the time of the request
   * @param any conditions to omit
   */
  async #allowPermanently(
    kernel: NativeKernel,
    rule: PermanentRule | undefined,
    rules: string,
    any: readonly string[],
    by: string,
  ) {
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
 * @param log receives the reason of a failure, which is not shown to the caller
 * @param ask receives a signal that fires when the answer is no longer awaited
 */
async function within(
  decider: 'policy function' | 'approver',
  waitsMs: number,
  signal: AbortSignal | undefined,
  log: Logger,
  ask: (over: AbortSignal) => Promise<CheckedAnswer>,
): Promise<CheckedAnswer> {
  const over = new AbortController();
  const asked = beforeDeadline(async () => ask(over.signal), waitsMs).catch((error) => {
    const refusal: CheckedAnswer = { verdict: 'deny', by: 'nobody', reason: `The ${decider} did not answer in time.` };
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

/** Validates the answer of an approver. */
function answerOf(answer: unknown): CheckedAnswer {
  if (answer === true) return { verdict: 'allow', by: 'application' };
  if (answer === false) return { verdict: 'deny', by: 'application' };
  const given: { approved?: unknown; always?: unknown; by?: unknown; reason?: unknown } = objectOr(answer);
  const { approved, always, by, reason } = given;
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

/** The conditions to omit from a permanent rule. */
function omittedConditions(always: unknown): readonly string[] {
  if (always === true) return [];
  const { any }: { any?: unknown } = objectOr(always);
  if (Array.isArray(any) && any.every((name) => typeof name === 'string')) return any;
  throw new TypeError('approve returned an "always" that is neither true nor { any: [names of conditions] }.');
}

/** Validates the answer of the application's policy function. */
function policyAnswer(answer: unknown): CheckedAnswer {
  const given: { verdict?: unknown; rule?: unknown; reason?: unknown } =
    typeof answer === 'string' ? { verdict: answer } : objectOr(answer);
  const { verdict, rule, reason } = given;
  if (verdict !== 'allow' && verdict !== 'ask' && verdict !== 'deny') {
    throw new TypeError("the policy function returned neither 'allow', 'ask' nor 'deny'.");
  }
  return {
    verdict,
    ...(rule !== undefined && { rule: String(rule).toWellFormed() }),
    ...(reason !== undefined && { reason: String(reason).toWellFormed() }),
  };
}

/** The value if it is an object, else an empty one. */
function objectOr(value: unknown): object {
  return typeof value === 'object' && value !== null ? value : {};
}

/** Whether the ledger was full, so that the call was not made. */
function isFull({ error }: AnyOutcome) {
  if (error?.code !== 'ERR_LEDGER') return false;
  const details = parseForeignJson(error.details);
  return isRecord(details) && details.reason === 'full';
}
