/** Formats agent events as lines of text. Text of the model, its tools and its provider is untrusted and is escaped. */

import { isRecord } from '../../boundary/foreign_json.js';
import { harmless } from '../../boundary/harmless.js';
import type { AgentEvent, AgentOutcome, AgentResult } from '../../types/agent.js';

type ToolResult = Extract<AgentEvent, { type: 'tool_result' }>;
/** The colour of a line's mark. */
export type Colour = 'green' | 'red' | 'yellow' | 'dim' | 'bold' | 'cyan';
/** `isWhole`: long text is wrapped instead of cut. */
export type Line = { mark: string; colour: Colour; text: string; isWhole?: boolean };

const MAX_DETAIL_CHARS = 200;
const MAX_LISTED = 20;
const THOUSAND = 1_000;
const MILLION = 1_000_000;
const TOOL_COLUMN = 14;
const LABEL_COLUMN = 8;
const SECONDS_A_MINUTE = 60;

/** The line of an event. `text` and `end` events are printed otherwise. */
export function eventText(event: AgentEvent): Line | undefined {
  switch (event.type) {
    case 'tool_result':
      return resultLine(event);
    case 'approval':
      return approvalLine(event);
    case 'retry':
      return {
        mark: '!',
        colour: 'yellow',
        isWhole: true,
        text: `the provider failed, attempt ${event.attempt}: ${harmless(event.reason, MAX_DETAIL_CHARS)} Retrying in ${duration(event.waitMs)}.`,
      };
    case 'compacted':
      return {
        mark: '·',
        colour: 'dim',
        text: `older results were replaced by references: ${count(event.before)} tokens before, ${count(event.after)} after`,
      };
    case 'start':
    case 'tool_call':
    case 'text':
    case 'usage':
    case 'end':
      return undefined;
  }
}

/** A short description of a call, for the status line. */
export function callSummary({ tool, path }: { tool: string; path?: string }) {
  return [harmless(tool), ...(path === undefined ? [] : [harmless(path)])].join(' ');
}

function resultLine(event: ToolResult): Line {
  const { tool, path, ok, from } = event;
  const subject = [harmless(tool).padEnd(TOOL_COLUMN), ...(path === undefined ? [] : [harmless(path)])]
    .join(' ')
    .trimEnd();
  if (from === 'unknown') {
    return { mark: '?', colour: 'yellow', text: `${subject}  started; outcome unknown` };
  }
  const detail = ok ? successText(event) : failureText(event);
  const origin = from === 'ledger' ? 'made before' : '';
  const text = [subject, origin, detail].filter((part) => part !== '').join('  ');
  return ok ? { mark: '✓', colour: 'green', text } : { mark: '✗', colour: 'red', text };
}

function failureText({ code, error, result }: ToolResult) {
  const message = harmless(firstLine(error ?? result?.error ?? ''), MAX_DETAIL_CHARS);
  return [harmless(code ?? result?.code ?? ''), message].filter((part) => part !== '').join(': ');
}

function successText({ result }: ToolResult) {
  if (!isRecord(result)) return '';
  if (result.dryRun === true) return 'preview, nothing was changed';
  if ('persisted' in result) return persistedText(result);
  if (typeof result.valid === 'boolean') return result.valid ? 'valid' : 'not valid';
  if (typeof result.passed === 'number' && typeof result.failed === 'number') {
    return `${result.passed} passed, ${result.failed} failed`;
  }
  if (result.success === true && 'result' in result) return `→ ${shown(result.result)}`;
  return '';
}

function persistedText({ persisted, findings }: { persisted?: unknown; findings?: unknown }) {
  if (persisted === true) return 'committed';
  if (persisted === 'local') return 'committed locally, not pushed yet';
  return Array.isArray(findings) && findings.length > 0 ? `not committed: ${shown(findings[0])}` : 'not committed';
}

/**
 * The line of a refusal with a reason. Approved calls and refusals without a reason show up in the result of the call.
 */
function approvalLine({
  state,
  approved,
  by,
  reason,
  request,
}: Extract<AgentEvent, { type: 'approval' }>): Line | undefined {
  if (state !== 'answered' || approved === true || reason === undefined) return undefined;
  const approver = by === undefined || by === 'nobody' ? '' : ` by ${harmless(by)}`;
  const text = `not approved${approver}: ${callSummary(request)}: ${harmless(reason, MAX_DETAIL_CHARS)}`;
  return { mark: '!', colour: 'yellow', text, isWhole: true };
}

/**
 * The outcome and the summary of a run.
 * @param options a replay omits values that differ between runs
 */
export function endLines(
  { outcome, error, summary, session }: AgentResult,
  { isReplay = false, isDryRun = false }: { isReplay?: boolean; isDryRun?: boolean } = {},
): Line[] {
  const spent = [
    `${summary.steps} ${summary.steps === 1 ? 'step' : 'steps'}`,
    `${summary.calls} ${summary.calls === 1 ? 'call' : 'calls'}`,
    `${count(summary.tokens.total)} tokens`,
    ...(summary.money === undefined ? [] : [`cost ${summary.money.toFixed(4)}`]),
    ...(isReplay ? [] : [duration(summary.ms)]),
  ].join(', ');
  const why = error === undefined ? '' : `: ${harmless(error.message, 2 * MAX_DETAIL_CHARS)} [${harmless(error.code)}]`;
  const first = { ...ENDS[outcome], text: `${ENDS[outcome].text}${why}`, isWhole: true };
  return [
    first,
    label('spent', spent),
    ...listed('forged', summary.forged),
    ...listed('reused', summary.reused),
    ...listed('tested', summary.tested),
    ...listed('changed', summary.changed),
    ...(isDryRun ? [label('dry run', 'nothing was changed')] : []),
    ...(isReplay ? [] : [{ ...label('session', sessionText({ outcome, error, summary, session })), isWhole: true }]),
  ];
}

const ENDS: Record<AgentOutcome, Line> = {
  done: { mark: '✓', colour: 'green', text: 'done' },
  failed: { mark: '✗', colour: 'red', text: 'failed' },
  refused: { mark: '✗', colour: 'red', text: 'refused' },
  budget: { mark: '✗', colour: 'yellow', text: 'budget exhausted' },
  interrupted: { mark: '✗', colour: 'yellow', text: 'interrupted' },
};

function sessionText({
  outcome,
  error,
  summary,
  session,
}: Pick<AgentResult, 'outcome' | 'error' | 'summary' | 'session'>) {
  const name = harmless(session);
  // A closed or busy session cannot be resumed now; the error message has the details.
  const isTaken = error?.code === 'ERR_VALIDATION' && summary.steps === 0;
  return outcome === 'done' || isTaken ? name : `${name}; resume it with "tgp --resume ${name}"`;
}

function label(name: string, text: string): Line {
  return { mark: ' ', colour: 'dim', text: `${name.padEnd(LABEL_COLUMN)} ${text}` };
}

function listed(name: string, paths: string[]) {
  if (paths.length === 0) return [];
  const more = paths.length > MAX_LISTED ? [`and ${paths.length - MAX_LISTED} more`] : [];
  const all = [...paths.slice(0, MAX_LISTED).map((path) => harmless(path)), ...more];
  return all.map((path, index) => label(index === 0 ? name : '', path));
}

function shown(value: unknown) {
  return harmless(typeof value === 'string' ? value : (JSON.stringify(value) ?? 'nothing'));
}

function firstLine(text: unknown) {
  return String(text).split('\n', 1)[0] ?? '';
}

/** A number in thousands or millions, if it is large. */
export function count(number: number) {
  if (number < THOUSAND) return String(number);
  return number < MILLION ? `${(number / THOUSAND).toFixed(1)} k` : `${(number / MILLION).toFixed(1)} M`;
}

function duration(ms: number) {
  if (ms < THOUSAND) return `${Math.round(ms)} ms`;
  const seconds = ms / THOUSAND;
  if (seconds < SECONDS_A_MINUTE) return `${seconds.toFixed(1)} s`;
  return `${Math.floor(seconds / SECONDS_A_MINUTE)} min ${Math.round(seconds % SECONDS_A_MINUTE)} s`;
}
