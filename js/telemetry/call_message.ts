/** Builds the telemetry message of a call: at its start, and completed at its end. */

import type { CallInfo } from '../boundary/caller.js';
import { TGPError } from '../boundary/errors.js';
import { messageOf } from '../boundary/thrown.js';
import type { CallMessage } from '../types/telemetry.js';
import type { Hide } from './contents.js';
import { shortName, shownText, shownValue } from './contents.js';

/** A call of the kernel. */
export type TelemetryCall = CallInfo & {
  /** The id that the model's provider gave the call. */
  toolCall?: string;
};
/** The trace of a run, returned by the addon. */
type Trace = {
  call: string;
  after?: number;
  phases: NonNullable<CallMessage['phases']>;
  calls: NonNullable<CallMessage['calls']>;
  /** Number of omitted calls. */
  leftOut?: number;
  verdict?: string;
  rule?: string;
};
/** How a call ended. */
export type CallEnd = { value: unknown } | { error: unknown };
/** The masking function if arguments, results and messages are included. */
export type Contents = Hide | undefined;

/** The error type of errors that are not TGPErrors. */
const OTHER_ERROR = '_OTHER';

/**
 * All members exist from the start, because growing or copying the object would dominate the cost.
 * Every text is bounded, because callers choose paths.
 */
export function begunCall(
  { tool, caller, path, effect, toolCall, args }: TelemetryCall,
  call: string | undefined,
  contents: Contents,
): CallMessage {
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
 * @param ms how long it took
 */
export function endCall(
  call: CallMessage,
  request: TelemetryCall,
  outcome: CallEnd,
  ms: number,
  trace: Trace | undefined,
  contents: Contents,
) {
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

function failureOf(error: unknown) {
  if (!(error instanceof TGPError)) return { code: OTHER_ERROR };
  const { verdict, rule } = error.details;
  return { code: error.code, verdict: textOf(verdict), rule: textOf(rule) };
}

function textOf(value: unknown) {
  return typeof value === 'string' ? shortName(value) : undefined;
}

/** Removes the trace from an outcome and returns it. */
export function takeTrace(outcome: CallEnd): Trace | undefined {
  const holder =
    'value' in outcome ? outcome.value : outcome.error instanceof TGPError ? outcome.error.details : undefined;
  if (!holdsTrace(holder)) return undefined;
  const { trace } = holder;
  delete holder.trace;
  return trace;
}

function holdsTrace(value: unknown): value is { trace?: Trace } {
  return typeof value === 'object' && value !== null && 'trace' in value && value.trace !== undefined;
}
