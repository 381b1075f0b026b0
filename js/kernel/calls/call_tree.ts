/** Builds the tree of a call and its nested calls from ledger events. */

import { NotFoundError } from '../../boundary/errors.js';
import type { LedgerCall, LedgerEvent } from '../../types/ledger.js';

/**
 * One call and the calls it made, as a tree.
 * @param events oldest first
 * @param name of the call, for the error
 */
export function callTree(events: LedgerEvent[], name: string): LedgerCall {
  const calls = new Map<string, LedgerCall>();
  for (const event of events)
    if (event.type === 'CALL' && event.call !== undefined) calls.set(event.call, begun(event));
  for (const event of events) {
    const call = event.call === undefined ? undefined : calls.get(event.call);
    if (call === undefined || event.type === 'CALL') continue;
    if (event.type === 'RESULT') end(call, event);
    else call.events.push(event);
  }
  let root: LedgerCall | undefined;
  for (const call of calls.values()) {
    const parent = call.parent === undefined ? undefined : calls.get(call.parent);
    if (parent !== undefined && parent !== call) parent.calls.push(call);
    else root ??= call;
  }
  if (root !== undefined) return root;
  throw new NotFoundError(
    `The ledger has no call "${name}". List the calls with kernel.ledger.tail() or "tgp ledger tail".`,
  );
}

function begun({
  seq,
  ts,
  session,
  actor,
  call,
  parent,
  tool,
  path,
  effect,
  dryRun,
  args,
  state,
}: LedgerEvent): LedgerCall {
  return {
    seq,
    ts,
    ...(session !== undefined && { session }),
    actor,
    call: String(call),
    ...(parent !== undefined && { parent }),
    tool: String(tool),
    ...(path !== undefined && { path }),
    effect,
    ...(dryRun !== undefined && { dryRun }),
    args,
    // 'unknown': the process ended before it recorded a result.
    state: state === 'unknown' ? 'unknown' : 'running',
    events: [],
    calls: [],
  };
}

function end(call: LedgerCall, { ok, ms, result, code, message }: LedgerEvent) {
  call.state = ok ? 'ok' : 'failed';
  if (ms !== undefined) call.ms = ms;
  if (result !== undefined) call.result = result;
  if (code !== undefined) call.code = code;
  if (message !== undefined) call.message = message;
}
