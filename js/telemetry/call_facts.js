/** What is known of a call, before it starts and when it has ended. */

import { TGPError } from '../boundary/errors.js';
import { messageOf } from '../boundary/thrown.js';
import { shortName, shownText, shownValue } from './contents.js';

/**
 * @typedef {import('../../types/telemetry.js').CallMessage} CallMessage
 *
 * @typedef {object} Asked what somebody has asked the kernel to do
 * @property {string} tool
 * @property {{ session?: string, model?: string, agent?: string, id?: string }} [who]
 * @property {string} [path]
 * @property {string} [effect]
 * @property {string} [toolCall] the id that the model's provider gave the call
 * @property {unknown} [args]
 *
 * @typedef {object} Trace what the addon returns of a run
 * @property {string} call
 * @property {number} [after]
 * @property {NonNullable<CallMessage['phases']>} phases
 * @property {NonNullable<CallMessage['calls']>} calls
 * @property {number} [leftOut] how many more there were
 * @property {string} [verdict]
 * @property {string} [rule]
 *
 * @typedef {{ value: unknown } | { error: unknown }} Ended
 * @typedef {import('./contents.js').Hide | undefined} Contents whether arguments, results and messages are told, and without what
 */

/** What stands for the code of an error that has none of ours. */
const OTHER_ERROR = '_OTHER';

/**
 * All members are there from the beginning: an object that grows, or is copied, costs more than all else that is done here.
 * Every text is bounded here: a path is chosen by the caller.
 * @param {Asked} asked
 * @param {string | undefined} call
 * @param {Contents} contents
 * @returns {CallMessage}
 */
export function begunCall({ tool, who, path, effect, toolCall, args }, call, contents) {
  // The clock of the addon's times. It has no fractions, so nothing in a call begins before the call.
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
    session: shortName(who?.session),
    model: shortName(who?.model),
    actor: shortName(who?.agent),
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
 * Adds how the call has ended.
 * @param {CallMessage} call
 * @param {Asked} asked
 * @param {Ended} ended
 * @param {number} ms how long it took
 * @param {Trace | undefined} trace
 * @param {Contents} contents
 */
export function endCall(call, asked, ended, ms, trace, contents) {
  const failure = 'error' in ended ? failureOf(ended.error) : undefined;
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
    // What a call is made of ends before it does, whatever the clocks say.
    for (const { end } of trace.phases) call.end = Math.max(call.end, end);
    for (const made of trace.calls) {
      call.end = Math.max(call.end, made.end);
      made.tool = shortName(made.tool);
      made.path = shortName(made.path);
    }
  }
  if (!contents) return;
  // Those of the call that boots the kernel: before, nobody knew its secrets.
  call.arguments ??= shownValue(asked.args, contents);
  if ('value' in ended) call.result = shownValue(ended.value, contents);
  else call.message = shownText(messageOf(ended.error), contents);
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
 * What the addon has returned of a run, taken out of the outcome: nobody else is to see it.
 * @param {Ended} ended
 * @returns {Trace | undefined}
 */
export function takeTrace(ended) {
  const holder = /** @type {any} */ (
    'value' in ended ? ended.value : ended.error instanceof TGPError ? ended.error.details : undefined
  );
  if (typeof holder !== 'object' || holder === null || holder.trace === undefined) return undefined;
  const { trace } = holder;
  delete holder.trace;
  return trace;
}
