/** Formats ledger events and calls as lines of text. */

import { harmless } from '../boundary/harmless.js';
import { styled } from './screen.js';

/**
 * @typedef {import('../../index.js').LedgerEvent} LedgerEvent
 * @typedef {import('../../index.js').LedgerCall} LedgerCall
 */

/** Maximum number of calls in one tree. */
const MAX_CALLS = 2_000;
const MAX_TYPE = 'RECONCILIATION'.length;
const SHORT_HASH = 7;
const SEQ_CHARS = 7;
const MS_CHARS = 12;

/** @type {Record<LedgerCall['state'], Parameters<typeof styled>[0]>} */
const COLOURS = { ok: 'green', failed: 'red', running: 'cyan', unknown: 'yellow' };

/**
 * One event as one line.
 * @param {LedgerEvent} event
 */
export function eventLine(event) {
  const { seq, ts, type, actor, session } = event;
  return [
    styled('dim', String(seq).padStart(SEQ_CHARS)),
    styled('dim', moment(ts)),
    harmless(type).padEnd(MAX_TYPE),
    ...details(event),
    styled('dim', [actorName(actor), ...(session === undefined ? [] : [`session ${harmless(session)}`])].join(', ')),
  ].join('  ');
}

/**
 * A call and the calls that it caused, as indented lines.
 * @param {LedgerCall} root
 * @returns {string[]}
 */
export function treeLines(root) {
  const began = Date.parse(root.ts);
  const session = root.session === undefined ? '' : `, session ${harmless(root.session)}`;
  const lines = [
    styled('bold', `Call ${harmless(root.call)} by ${actorName(root.actor)}${session}, ${moment(root.ts)}`),
  ];
  /** @type {{ call: LedgerCall, depth: number }[]} */
  const waiting = [{ call: root, depth: 0 }];
  for (let shown = 0; waiting.length > 0; shown++) {
    if (shown === MAX_CALLS)
      return [...lines, `and more: "tgp ledger show ${harmless(root.call)} --json" prints the whole tree`];
    const { call, depth } = /** @type {typeof waiting[number]} */ (waiting.pop());
    lines.push(...callLines(call, depth, Date.parse(call.ts) - began));
    waiting.push(...call.calls.map((below) => ({ call: below, depth: depth + 1 })).reverse());
  }
  return lines;
}

/**
 * @param {LedgerCall} call
 * @param {number} depth
 * @param {number} offset since the first call began
 */
function callLines(call, depth, offset) {
  const indent = '  '.repeat(depth);
  const margin = `${' '.repeat(MS_CHARS)}  ${indent}  `;
  const lines = [
    [
      styled('dim', `+${offset} ms`.padStart(MS_CHARS)),
      `${indent}${subject(call)}`,
      harmless(call.effect ?? ''),
      styled(COLOURS[call.state], call.state === 'failed' ? harmless(call.code ?? 'failed') : call.state),
      ...(call.ms === undefined ? [] : [`${call.ms} ms`]),
      styled('dim', `#${call.seq}`),
    ].join('  '),
  ];
  if (call.message !== undefined) lines.push(`${margin}${harmless(call.message)}`);
  for (const event of call.events) lines.push(`${margin}${[harmless(event.type), ...details(event)].join('  ')}`);
  return lines;
}

/**
 * The columns specific to the type of an event.
 * @param {LedgerEvent} event
 * @returns {string[]}
 */
function details(event) {
  switch (event.type) {
    case 'CALL':
      return [subject(event), harmless(event.effect ?? ''), styled('dim', harmless(event.call ?? ''))];
    case 'RESULT':
      return [
        subject(event),
        event.ok ? styled('green', 'ok') : styled('red', harmless(event.code ?? 'failed')),
        ...(event.ms === undefined ? [] : [`${harmless(event.ms)} ms`]),
        styled('dim', harmless(event.call ?? '')),
      ];
    case 'COMMIT':
      return [...listed(event.commit?.slice?.(0, SHORT_HASH)), ...listed(event.paths ?? event.path)];
    case 'SESSION':
      return [...listed(event.state), ...listed(event.process)];
    default:
      return [subject(event), harmless(JSON.stringify(bodyOf(event)))].filter((text) => text !== '' && text !== '{}');
  }
}

/** @param {{ tool?: string, path?: string }} event */
function subject({ tool, path }) {
  return [tool, path]
    .filter((text) => text !== undefined)
    .map((text) => harmless(text))
    .join(' ');
}

/**
 * Names as a list; empty if they are hidden.
 * @param {unknown} names
 */
function listed(names) {
  if (Array.isArray(names)) return [harmless(names.join(', '))];
  return names === undefined ? [] : [harmless(names)];
}

/** @param {LedgerEvent} event */
function bodyOf(event) {
  const { seq: _, id, ts, type, session, actor, call, parent, tool, path, prev, hash, ...body } = event;
  return body;
}

/** @param {import('../../index.js').LedgerActor | undefined} actor */
function actorName(actor) {
  const { agent = 'nobody', id = '' } = actor ?? {};
  return id === '' ? harmless(agent) : `${harmless(agent)} ${harmless(id)}`;
}

/** @param {string} ts */
function moment(ts) {
  return harmless(ts).replace('T', ' ').replace('Z', '');
}
