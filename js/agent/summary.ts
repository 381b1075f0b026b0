/** The summary of a run: tools forged, reused and tested, files changed, and usage. */

import { agentToolRow } from '../tool_shape/agent_tool_table.js';
import type { AgentSummary } from '../types/agent.js';
import type { Call, CallOutcome, Conversation } from './conversation.js';
import type { RunUsage } from './usage.js';

type RefusalCode = 'ERR_DENIED' | 'ERR_APPROVAL';

const REFUSALS = new Set<string>(['ERR_DENIED', 'ERR_APPROVAL'] satisfies RefusalCode[]);
const TOOL_FILE = /^tools\/.+\.tsx?$/;
const TEST_FILE = /\.test\.tsx?$/;

/** @param isForged whether a call runs a forged tool by its name */
export function summaryOf(
  conversation: Conversation,
  usage: RunUsage,
  isForged: (call: Call) => boolean,
): AgentSummary {
  const forged = new Set<string>();
  const reused = new Set<string>();
  const tested = new Set<string>();
  const changed = new Set<string>();
  const calls = callsOfTask(conversation);
  for (const call of calls) {
    const outcome = conversation.outcomeOf(call.call);
    const path = outcome?.path ?? pathOf(call.input);
    if (path === undefined) continue;
    const list = agentToolRow(call.tool)?.summary;
    if (list === 'tested') tested.add(path);
    if (!outcome?.ok || isDryRun(outcome.output)) continue;
    if (list === 'changed') {
      const isTool = TOOL_FILE.test(path) && !TEST_FILE.test(path);
      if (isTool && outcome.isNew) forged.add(path);
      else changed.add(path);
    }
    if (list === 'reused' || isForged(call)) reused.add(path);
  }
  const { input, output, total, money } = usage;
  return {
    forged: [...forged],
    reused: [...reused].filter((path) => !forged.has(path)),
    tested: [...tested],
    changed: [...changed].filter((path) => !forged.has(path)),
    calls: calls.length,
    steps: usage.steps,
    tokens: { input, output, total },
    ...(money !== undefined && { money }),
    ms: usage.ms + conversation.msBefore,
  };
}

function isDryRun(output: CallOutcome['output']) {
  return typeof output === 'object' && output !== null && 'dryRun' in output && output.dryRun === true;
}

/** The last call, if it was denied or not approved. */
export function refusedCall(conversation: Conversation) {
  const last = callsOfTask(conversation).at(-1);
  const code = last && conversation.outcomeOf(last.call)?.code;
  return code !== undefined && isRefusal(code) ? { tool: last?.tool, code } : undefined;
}

function isRefusal(code: string): code is RefusalCode {
  return REFUSALS.has(code);
}

/** The calls since the last task. */
function callsOfTask({ entries }: Conversation) {
  const task = entries.findLastIndex((entry) => 'user' in entry);
  return entries.slice(task + 1).flatMap((entry) => ('step' in entry ? entry.calls : []));
}

/** The path argument of a call. */
export function pathOf(input: unknown): string | undefined {
  if (typeof input !== 'object' || input === null) return undefined;
  const { path, to }: { path?: unknown; to?: unknown } = input;
  const file = path ?? to;
  return typeof file === 'string' && file !== '' ? file : undefined;
}

/** A one-line description of a call. */
export function lineOf({ call, tool, input }: Call, outcome: CallOutcome | undefined) {
  const path = outcome?.path ?? pathOf(input);
  const state = outcome === undefined ? '' : outcome.ok ? ' ok' : ` failed${outcome.code ? ` ${outcome.code}` : ''}`;
  return `${call} ${tool}${path === undefined ? '' : ` ${path.slice(0, 100)}`}${state}`;
}
