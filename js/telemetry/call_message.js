/** Builds the telemetry message of a call: at its start, and completed at its end. */

import { TGPError } from '../boundary/errors.js';
import { messageOf } from '../boundary/thrown.js';
import { shortName, shownText, shownValue } from './contents.js';

/**
 * @typedef {import('../../types/telemetry.js').CallMessage} CallMessage
 *
 * @typedef {object} CallRequest a call of the kernel
 * @property {string} tool
 * @property {{ session?: string, model?: string, agent?: string, id?: string }} [caller]
 * @property {string} [path]
 * @property {string} [effect]
 * @property {string} [toolCall] the id that the model's provider gave the call
 * @property {unknown} [args]
 *
 * @typedef {object} Trace the trace of a run, returned by the addon
 * @property {string} call
 * @property {number} [after]
 * @property {NonNullable<CallMessage['phases']>} phases
 * @property {NonNullable<CallMessage['calls']>} calls
 * @property {number} [leftOut] number of omitted calls
 * @property {string} [verdict]
 * @property {string} [rule]
 *
 * @typedef {{ value: unknown } | { error: unknown }} Outcome
 * @typedef {import('./contents.js').Hide | undefined} Contents the masking function if arguments, results and messages are included
 */

/** The error type of errors that are not TGPErrors. */
const OTHER_ERROR = '_OTHER';

/**
 * All members exist from the start, because growing or copying the object would dominate the cost.
 * Every text is bounded, because callers choose paths.
 * @param {CallRequest} request
 * @param {string | undefined} call
 * @param {Contents} contents
 * @returns {CallMessage}
 */
export function begunCall({ tool, caller, path, effect, toolCall, args }, call, contents) {
  // The same clock as the addon's times. It has whole milliseconds, so no part of a call starts before the call.
  const start = Date.now();
  return {
    tool: shortName(tool),
    call: shortName(call),
    ok: false,
    start,
    end: start,
    code: undefined,
    path: shortName(path),
    effect,
    session: shortName(caller?.session),
    model: shortName(caller?.model),
    actor: shortName(caller?.agent),
    toolCall: shortName(toolCall),
    verdict: undefined,
    rule: undefined,
    after: undefined,
    phases: undefined,
    calls: undefined,
    leftOut: undefined,
    arguments: contents && shownValue(args, contents),
    result: undefined,
    message: undefined,
  };
}

/**
 * Adds the outcome of the call.
 * @param {CallMessage} call
 * @param {CallRequest} request
 * @param {Outcome} outcome
 * @param {number} ms how long it took
 * @param {Trace | undefined} trace
 * @param {Contents} contents
 */
export function endCall(call, request, outcome, ms, trace, contents) {
  const failure = 'error' in outcome ? failureOf(outcome.error) : undefined;
  call.ok = failure === undefined;
  call.end = call.start + ms;
  call.code = failure?.code;
  call.verdict = failure?.verdict ?? trace?.verdict;
  call.rule = failure?.rule ?? trace?.rule;
  if (trace) {
    call.call ??= trace.call;
    call.after = trace.after;
    call.phases = trace.phases;
    call.calls = trace.calls;
    call.leftOut = trace.leftOut;
    // Parts of a call end before the call, even if the clocks differ.
    for (const { end } of trace.phases) call.end = Math.max(call.end, end);
    for (const made of trace.calls) {
      call.end = Math.max(call.end, made.end);
      made.tool = shortName(made.tool);
      made.path = shortName(made.path);
    }
  }
  if (!contents) return;
  // Arguments of the call that boots the kernel: its secrets were unknown before.
  call.arguments ??= shownValue(request.args, contents);
  if ('value' in outcome) call.result = shownValue(outcome.value, contents);
  else call.message = shownText(messageOf(outcome.error), contents);
}

/** @param {unknown} error */
function failureOf(error) {
  if (!(error instanceof TGPError)) return { code: OTHER_ERROR };
  const { verdict, rule } = /** @type {Record<string, unknown>} */ (error.details);
  return { code: error.code, verdict: textOf(verdict), rule: textOf(rule) };
}

/** @param {unknown} value */
function textOf(value) {
  return typeof value === 'string' ? shortName(value) : undefined;
}

/**
 * Removes the trace from an outcome and returns it.
 * @param {Outcome} outcome
 * @returns {Trace | undefined}
 */
export function takeTrace(outcome) {
  const holder = /** @type {any} */ (
    'value' in outcome ? outcome.value : outcome.error instanceof TGPError ? outcome.error.details : undefined
  );
  if (typeof holder !== 'object' || holder === null || holder.trace === undefined) return undefined;
  const { trace } = holder;
  delete holder.trace;
  return trace;
}
