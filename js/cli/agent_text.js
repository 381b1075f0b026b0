/** Formats agent events as lines of text. Text of the model, its tools and its provider is untrusted and is escaped. */

import { harmless } from '../boundary/harmless.js';

/**
 * @typedef {import('../../index.js').AgentEvent} AgentEvent
 * @typedef {import('../../index.js').AgentResult} AgentResult
 * @typedef {import('../../index.js').AgentSummary} AgentSummary
 * @typedef {Extract<AgentEvent, { type: 'tool_result' }>} ToolResult
 * @typedef {'green' | 'red' | 'yellow' | 'dim' | 'bold' | 'cyan'} Colour
 * @typedef {{ mark: string, colour: Colour, text: string, isWhole?: boolean }} Line `isWhole`: long text is wrapped instead of cut
 */

const MAX_DETAIL_CHARS = 200;
const MAX_LISTED = 20;
const THOUSAND = 1_000;
const MILLION = 1_000_000;
const TOOL_COLUMN = 14;
const LABEL_COLUMN = 8;
const SECONDS_A_MINUTE = 60;

/**
 * The line of an event. `text` and `end` events are printed otherwise.
 * @param {AgentEvent} event
 * @returns {Line | undefined}
 */
export function eventText(event) {
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

/**
 * A short description of a call, for the status line.
 * @param {{ tool: string, path?: string }} call
 */
export function callSummary({ tool, path }) {
  return [harmless(tool), ...(path === undefined ? [] : [harmless(path)])].join(' ');
}

/**
 * @param {ToolResult} event
 * @returns {Line}
 */
function resultLine(event) {
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

/** @param {ToolResult} event */
function failureText({ code, error, result }) {
  const message = harmless(firstLine(error ?? result?.error ?? ''), MAX_DETAIL_CHARS);
  return [harmless(code ?? result?.code ?? ''), message].filter((part) => part !== '').join(': ');
}

/** @param {ToolResult} event */
function successText({ result }) {
  if (typeof result !== 'object' || result === null || Array.isArray(result)) return '';
  if (result.dryRun === true) return 'preview, nothing was changed';
  if ('persisted' in result) return persistedText(result);
  if (typeof result.valid === 'boolean') return result.valid ? 'valid' : 'not valid';
  if (typeof result.passed === 'number' && typeof result.failed === 'number') {
    return `${result.passed} passed, ${result.failed} failed`;
  }
  if (result.success === true && 'result' in result) return `→ ${shown(result.result)}`;
  return '';
}

/** @param {any} result */
function persistedText({ persisted, findings }) {
  if (persisted === true) return 'committed';
  if (persisted === 'local') return 'committed locally, not pushed yet';
  return Array.isArray(findings) && findings.length > 0 ? `not committed: ${shown(findings[0])}` : 'not committed';
}

/**
 * The line of a refusal with a reason. Approved calls and refusals without a reason show up in the result of the call.
 * @param {Extract<AgentEvent, { type: 'approval' }>} event
 * @returns {Line | undefined}
 */
function approvalLine({ state, approved, by, reason, request }) {
  if (state !== 'answered' || approved === true || reason === undefined) return undefined;
  const approver = by === undefined || by === 'nobody' ? '' : ` by ${harmless(by)}`;
  const text = `not approved${approver}: ${callSummary(request)}: ${harmless(reason, MAX_DETAIL_CHARS)}`;
  return { mark: '!', colour: 'yellow', text, isWhole: true };
}

/**
 * The outcome and the summary of a run.
 * @param {AgentResult} result
 * @param {{ isReplay?: boolean, isDryRun?: boolean }} [options] a replay omits values that differ between runs
 * @returns {Line[]}
 */
export function endLines({ outcome, error, summary, session }, { isReplay = false, isDryRun = false } = {}) {
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

/** @type {Record<import('../../index.js').AgentOutcome, Line>} */
const ENDS = {
  done: { mark: '✓', colour: 'green', text: 'done' },
  failed: { mark: '✗', colour: 'red', text: 'failed' },
  refused: { mark: '✗', colour: 'red', text: 'refused' },
  budget: { mark: '✗', colour: 'yellow', text: 'budget exhausted' },
  interrupted: { mark: '✗', colour: 'yellow', text: 'interrupted' },
};

/** @param {Pick<AgentResult, 'outcome' | 'error' | 'summary' | 'session'>} result */
function sessionText({ outcome, error, summary, session }) {
  const name = harmless(session);
  // A closed or busy session cannot be resumed now; the error message has the details.
  const isTaken = error?.code === 'ERR_VALIDATION' && summary.steps === 0;
  return outcome === 'done' || isTaken ? name : `${name}; resume it with "tgp --resume ${name}"`;
}

/**
 * @param {string} name
 * @param {string} text
 * @returns {Line}
 */
function label(name, text) {
  return { mark: ' ', colour: 'dim', text: `${name.padEnd(LABEL_COLUMN)} ${text}` };
}

/**
 * @param {string} name
 * @param {string[]} paths
 */
function listed(name, paths) {
  if (paths.length === 0) return [];
  const more = paths.length > MAX_LISTED ? [`and ${paths.length - MAX_LISTED} more`] : [];
  const all = [...paths.slice(0, MAX_LISTED).map((path) => harmless(path)), ...more];
  return all.map((path, index) => label(index === 0 ? name : '', path));
}

/** @param {unknown} value */
function shown(value) {
  return harmless(typeof value === 'string' ? value : (JSON.stringify(value) ?? 'nothing'));
}

/** @param {unknown} text */
function firstLine(text) {
  return String(text).split('\n', 1)[0] ?? '';
}

/** @param {number} number */
export function count(number) {
  if (number < THOUSAND) return String(number);
  return number < MILLION ? `${(number / THOUSAND).toFixed(1)} k` : `${(number / MILLION).toFixed(1)} M`;
}

/** @param {number} ms */
function duration(ms) {
  if (ms < THOUSAND) return `${Math.round(ms)} ms`;
  const seconds = ms / THOUSAND;
  if (seconds < SECONDS_A_MINUTE) return `${seconds.toFixed(1)} s`;
  return `${Math.floor(seconds / SECONDS_A_MINUTE)} min ${Math.round(seconds % SECONDS_A_MINUTE)} s`;
}
