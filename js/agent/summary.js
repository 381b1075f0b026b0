/** The summary of a run: tools forged, reused and tested, files changed, and usage. */

import { toolWords } from '../tool_shape/kernel_tool_table.js';

/**
 * @typedef {import('./conversation.js').Conversation} Conversation
 * @typedef {import('./conversation.js').Call} Call
 */

const REFUSALS = new Set(['ERR_DENIED', 'ERR_APPROVAL']);
const TOOL_FILE = /^tools\/.+\.tsx?$/;
const TEST_FILE = /\.test\.tsx?$/;

/**
 * @param {Conversation} conversation
 * @param {import('./usage.js').RunUsage} usage
 * @param {(call: Call) => boolean} isForged whether a call runs a forged tool by its name
 * @returns {import('../../index.js').AgentSummary}
 */
export function summaryOf(conversation, usage, isForged) {
  const [forged, reused, tested, changed] = [new Set(), new Set(), new Set(), new Set()].map(
    (set) => /** @type {Set<string>} */ (set),
  );
  const calls = callsOfTask(conversation);
  for (const call of calls) {
    const outcome = conversation.outcomeOf(call.call);
    const path = outcome?.path ?? pathOf(call.input);
    if (path === undefined) continue;
    const list = toolWords(call.tool)?.summary;
    if (list === 'tested') tested?.add(path);
    if (!outcome?.ok || outcome.output?.dryRun === true) continue;
    if (list === 'changed') {
      const isTool = TOOL_FILE.test(path) && !TEST_FILE.test(path);
      if (isTool && outcome.isNew) forged?.add(path);
      else changed?.add(path);
    }
    if (list === 'reused' || isForged(call)) reused?.add(path);
  }
  const { input, output, total, money } = usage;
  return {
    forged: [...(forged ?? [])],
    reused: [...(reused ?? [])].filter((path) => !forged?.has(path)),
    tested: [...(tested ?? [])],
    changed: [...(changed ?? [])].filter((path) => !forged?.has(path)),
    calls: calls.length,
    steps: usage.steps,
    tokens: { input, output, total },
    ...(money !== undefined && { money }),
    ms: usage.ms + conversation.msBefore,
  };
}

/**
 * The last call, if it was denied or not approved.
 * @param {Conversation} conversation
 */
export function refusedCall(conversation) {
  const last = callsOfTask(conversation).at(-1);
  const code = last && conversation.outcomeOf(last.call)?.code;
  return code !== undefined && REFUSALS.has(code) ? { tool: last?.tool, code } : undefined;
}

/**
 * The calls since the last task.
 * @param {Conversation} conversation
 */
function callsOfTask({ entries }) {
  const task = entries.findLastIndex((entry) => 'user' in entry);
  return entries.slice(task + 1).flatMap((entry) => ('step' in entry ? entry.calls : []));
}

/**
 * The path argument of a call.
 * @param {any} input
 * @returns {string | undefined}
 */
export function pathOf(input) {
  const path = input?.path ?? input?.to;
  return typeof path === 'string' && path !== '' ? path : undefined;
}

/**
 * A one-line description of a call.
 * @param {Call} call
 * @param {import('./conversation.js').Outcome | undefined} outcome
 */
export function lineOf({ call, tool, input }, outcome) {
  const path = outcome?.path ?? pathOf(input);
  const state = outcome === undefined ? '' : outcome.ok ? ' ok' : ` failed${outcome.code ? ` ${outcome.code}` : ''}`;
  return `${call} ${tool}${path === undefined ? '' : ` ${path.slice(0, 100)}`}${state}`;
}
