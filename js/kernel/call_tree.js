import { NotFoundError } from '../boundary/errors.js';

/**
 * @typedef {import('../../index.js').LedgerEvent} LedgerEvent
 * @typedef {import('../../index.js').LedgerCall} LedgerCall
 */

/**
 * The events of one call, and of all that it caused, as a tree.
 * @param {LedgerEvent[]} events oldest first
 * @param {string} asked
 * @returns {LedgerCall}
 */
export function callTree(events, asked) {
  /** @type {Map<string, LedgerCall>} */
  const calls = new Map();
  for (const event of events)
    if (event.type === 'CALL' && event.call !== undefined) calls.set(event.call, begun(event));
  for (const event of events) {
    const known = event.call === undefined ? undefined : calls.get(event.call);
    if (known === undefined || event.type === 'CALL') continue;
    if (event.type === 'RESULT') end(known, event);
    else known.events.push(event);
  }
  /** @type {LedgerCall | undefined} */
  let root;
  for (const call of calls.values()) {
    const parent = call.parent === undefined ? undefined : calls.get(call.parent);
    if (parent !== undefined && parent !== call) parent.calls.push(call);
    else root ??= call;
  }
  if (root !== undefined) return root;
  throw new NotFoundError(
    `The ledger has no call "${asked}". kernel.ledger.tail() and "tgp ledger tail" name the calls.`,
  );
}

/**
 * @param {LedgerEvent} event
 * @returns {LedgerCall}
 */
function begun({ seq, ts, session, actor, call, parent, tool, path, effect, dryRun, args, state }) {
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
    // The kernel says so of an intent whose process has ended without a result.
    state: state === 'unknown' ? 'unknown' : 'running',
    events: [],
    calls: [],
  };
}

/**
 * @param {LedgerCall} call
 * @param {LedgerEvent} event
 */
function end(call, { ok, ms, result, code, message }) {
  call.state = ok ? 'ok' : 'failed';
  if (ms !== undefined) call.ms = ms;
  if (result !== undefined) call.result = result;
  if (code !== undefined) call.code = code;
  if (message !== undefined) call.message = message;
}
