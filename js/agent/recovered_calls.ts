/** Recovers the outcome of a started call from the ledger after an interruption. */

import { boundedResult } from '../tool_shape/bounded_result.js';
import type { LedgerEvent } from '../types/ledger.js';
import type { AgentTool } from '../types/tools.js';
import type { Call, CallOutcome, Conversation } from './conversation.js';

const MADE_BEFORE = 'This call was made before the session was interrupted; its result was read from the ledger.';
const UNKNOWN =
  'The session was interrupted while this call was being made. It is unknown whether it took effect: check before you make it again.';

/** Session events of the lease, which are not actions of the agent. */
const LEASE_EVENTS = new Set(['agent take', 'agent beat', 'agent left']);

/**
 * The outcome of a call that may have been made. Undefined if it was not made or only reads: then it can be made now. The ledger
 * records the intent of every change before the change, so a call without an intent did not happen.
 */
export async function recoveredOutcome(
  conversation: Conversation,
  call: Call,
  tool: AgentTool | undefined,
  maxChars: number,
): Promise<{ outcome: CallOutcome; from: 'ledger' | 'unknown' } | undefined> {
  const position = conversation.positionOf(call.call);
  if (position === undefined) return undefined;
  const events = ofThisCall(await conversation.events(position));
  const intents = events.filter(
    (event) => event.type === 'CALL' && event.parent === undefined && isOf(event, call, tool),
  );
  // A call whose arguments were refused may have been repeated with converted ones.
  const intent = intents.find((one) => !isRefused(one, events)) ?? intents[0];
  if (intent === undefined || intent.effect === 'read') return undefined;
  const own = events.filter((event) => event.call === intent.call);
  const result = own.find(({ type }) => type === 'RESULT');
  if (result === undefined) {
    const commit = own.find(({ type }) => type === 'COMMIT')?.commit;
    const output = { state: 'unknown', error: UNKNOWN, ...(commit && { commit }) };
    return { from: 'unknown', outcome: { ok: false, output, code: 'ERR_UNKNOWN', error: UNKNOWN, ms: 0 } };
  }
  const { ok, code, message, path, ms = 0 } = result;
  const facts = { ms, ...(path !== undefined && { path }) };
  if (!ok) {
    const output = { success: false, code, error: message, note: MADE_BEFORE };
    return { from: 'ledger', outcome: { ok: false, output, code, error: message, ...facts } };
  }
  const value = await conversation.whole(result.result);
  const output = await boundedResult({ success: true, result: value ?? null, note: MADE_BEFORE }, maxChars);
  return { from: 'ledger', outcome: { ok: true, output: output as CallOutcome['output'], ...facts } };
}

/** Events of this call: calls run one at a time, so events before the next agent event belong to it. */
function ofThisCall(events: LedgerEvent[]) {
  const next = events.findIndex(
    ({ type, what }) => type === 'SESSION' && String(what).startsWith('agent ') && !LEASE_EVENTS.has(String(what)),
  );
  const first = next < 0 ? events : events.slice(0, next);
  const names = new Set(first.map(({ call }) => call));
  // The result of a call may be recorded after the agent was stopped.
  return events.filter((event) => first.includes(event) || (event.call !== undefined && names.has(event.call)));
}

/** Whether the arguments of a call were refused, so that nothing was done. */
function isRefused({ call }: LedgerEvent, events: LedgerEvent[]) {
  return events.some((event) => event.type === 'RESULT' && event.call === call && event.code === 'ERR_VALIDATION');
}

/** Whether an event is of this call. Other callers may use the same session name. */
function isOf({ tool: name }: LedgerEvent, call: Call, tool: AgentTool | undefined) {
  if (name === call.tool) return true;
  // A forged tool that is called by its name.
  return name === 'exec_tool' && tool !== undefined && /\[[^\]]+\]$/.test(tool.description ?? '');
}
