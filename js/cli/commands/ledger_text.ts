/** Formats ledger events and calls as lines of text. */

import { isRecord } from '../../boundary/foreign_json.js';
import { harmless } from '../../boundary/harmless.js';
import type { LedgerActor, LedgerCall, LedgerEvent } from '../../types/ledger.js';
import { styled } from '../terminal/screen.js';

/** Maximum number of calls in one tree. */
const MAX_CALLS = 2_000;
/** Deeper members are printed as JSON, and further ones are left out. */
const MAX_NESTING = 3;
const MAX_MEMBERS = 20;
const MAX_BODY = 240;
const MAX_TYPE = 'RECONCILIATION'.length;
const SHORT_HASH = 7;
/** Hashes and random ids, which are shortened: `--json` has all of them. */
const HASH = /^[0-9a-f]{24,}$/;
const SHORT_ID = 12;
const SEQ_CHARS = 7;
const MS_CHARS = 12;

const COLOURS: Record<LedgerCall['state'], Parameters<typeof styled>[0]> = {
  ok: 'green',
  failed: 'red',
  running: 'cyan',
  unknown: 'yellow',
};

/** One event as one line. */
export function eventLine(event: LedgerEvent) {
  const { seq, ts, type, actor, session } = event;
  return [
    styled('dim', String(seq).padStart(SEQ_CHARS)),
    styled('dim', moment(ts)),
    harmless(type).padEnd(MAX_TYPE),
    ...details(event),
    styled('dim', [actorName(actor), ...(session === undefined ? [] : [`session ${harmless(session)}`])].join(', ')),
  ].join('  ');
}

/** A call and the calls that it caused, as indented lines. */
export function treeLines(root: LedgerCall): string[] {
  const began = Date.parse(root.ts);
  const session = root.session === undefined ? '' : `, session ${harmless(root.session)}`;
  const lines = [
    styled('bold', `Call ${harmless(root.call)} by ${actorName(root.actor)}${session}, ${moment(root.ts)}`),
  ];
  const waiting: { call: LedgerCall; depth: number }[] = [{ call: root, depth: 0 }];
  for (let shown = 0; waiting.length > 0; shown++) {
    if (shown === MAX_CALLS)
      return [...lines, `and more: "tgp ledger show ${harmless(root.call)} --json" prints the whole tree`];
    const { call, depth } = waiting.pop() as (typeof waiting)[number];
    lines.push(...callLines(call, depth, Date.parse(call.ts) - began));
    waiting.push(...call.calls.map((below) => ({ call: below, depth: depth + 1 })).reverse());
  }
  return lines;
}

/** @param offset since the first call began */
function callLines(call: LedgerCall, depth: number, offset: number) {
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

/** The columns specific to the type of an event. */
function details(event: LedgerEvent): string[] {
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
      return [subject(event), harmless(members(bodyOf(event)).join(' '), MAX_BODY)].filter((text) => text !== '');
  }
}

/** The members of a value as `name=value`, nested ones with the names of their owners; `null` and empty ones are left out. */
function members(value: unknown, owner = '', depth = 0): string[] {
  if (value === undefined || value === null || value === '') return [];
  if (isRecord(value) && depth < MAX_NESTING) {
    const entries = Object.entries(value).slice(0, MAX_MEMBERS);
    return entries.flatMap(([name, inner]) => members(inner, owner === '' ? name : `${owner}.${name}`, depth + 1));
  }
  if (typeof value === 'string' && HASH.test(value)) return [`${owner}=${value.slice(0, SHORT_ID)}`];
  const isList = Array.isArray(value) && value.every((item) => typeof item !== 'object');
  const text = isList ? value.join(', ') : typeof value === 'object' ? JSON.stringify(value) : String(value);
  const shown = typeof value === 'string' && /[\s"]/.test(value) ? JSON.stringify(value) : text;
  return text === '' ? [] : [owner === '' ? shown : `${owner}=${shown}`];
}

function subject({ tool, path }: { tool?: string; path?: string }) {
  return [tool, path]
    .filter((text) => text !== undefined)
    .map((text) => harmless(text))
    .join(' ');
}

/** Names as a list; empty if they are hidden. */
function listed(names: unknown) {
  if (Array.isArray(names)) return [harmless(names.join(', '))];
  return names === undefined ? [] : [harmless(names)];
}

function bodyOf(event: LedgerEvent) {
  const { seq: _, id, ts, type, session, actor, call, parent, tool, path, prev, hash, ...body } = event;
  return body;
}

function actorName(actor: LedgerActor | undefined) {
  const { agent = 'nobody', id = '' } = actor ?? {};
  return id === '' ? harmless(agent) : `${harmless(agent)} ${harmless(id)}`;
}

function moment(ts: string) {
  return harmless(ts).replace('T', ' ').replace('Z', '');
}
