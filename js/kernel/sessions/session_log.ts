/** Records agent sessions as ledger events and reads them back. */

import { isRecord, parseForeignJson } from '../../boundary/foreign_json.js';
import { toJsonText } from '../../boundary/json_text.js';
import type { KernelLedger, LedgerEvent, LedgerQuery } from '../../types/ledger.js';
import type { KernelCalls } from '../calls/kernel_calls.js';

type SessionEvent = { what: string; [member: string]: unknown };

/** A reference to a large value that the ledger keeps elsewhere. */
type Reference = { [REFERENCE]: string; kept?: unknown; form?: unknown; preview?: unknown };

/** Member of a kernel's sessions that gives agents access to the log. */
export const SESSION_LOG = Symbol.for('@tgp/core/session_log');

/** Path of the events that list sessions, so that they are found without reading the others. */
const LISTED_PATH = '.tgp/sessions';
const LISTED = new Set(['agent take', 'agent beat', 'agent left', 'agent task', 'agent end', 'agent close']);
/** Members of events that may be long texts. */
const TEXTS = ['task', 'text'] as const;
const PAGE_EVENTS = 1_000;
const REFERENCE = '$blob';
/** Keys that look like a reference are escaped with additional `$`. */
const ESCAPED = /^\${2,}blob$/;
const MAX_DEPTH = 64;

export class SessionLog {
  #calls;
  #ledger;

  constructor(calls: KernelCalls, ledger: KernelLedger) {
    this.#calls = calls;
    this.#ledger = ledger;
  }

  /**
   * Waits until everything recorded so far is readable, including events of killed processes that another process writes.
   * @throws LedgerError when that takes too long
   */
  async settled() {
    await this.#calls.read((kernel) => kernel.ledgerWaitForSpools());
  }

  /** Records an event. It is durable when this resolves, even if the process is killed then. */
  async append(session: string, actor: { agent: string; id: string }, body: SessionEvent) {
    const path = LISTED.has(body.what) ? LISTED_PATH : undefined;
    const text = toJsonText({ type: 'SESSION', session, ...actor, path, body }, 'event', { nonFiniteNumbers: 'null' });
    await this.#calls.read((kernel) => kernel.ledgerAppend(text));
  }

  /** All events of a session, including kernel calls, oldest first. */
  async events(session: string, after = 0): Promise<LedgerEvent[]> {
    return this.#all({ session }, after);
  }

  /** The start and end events of all sessions, oldest first. */
  async listed(): Promise<LedgerEvent[]> {
    return this.#all({ path: LISTED_PATH, type: 'SESSION' }, 0);
  }

  /**
   * A value of an event with its references to large values resolved. Values that the ledger did not keep stay references.
   */
  async whole(value: unknown): Promise<unknown> {
    const read = await this.#read(value);
    if (typeof read !== 'object' || read === null) return read;
    if (Array.isArray(read)) return unescaped(await Promise.all(read.map((item) => this.#read(item))), 0);
    const members = await Promise.all(Object.entries(read).map(async ([key, item]) => [key, await this.#read(item)]));
    return unescaped(Object.fromEntries(members), 0);
  }

  /** An event with its long texts resolved. */
  async #withTexts(event: LedgerEvent) {
    const long = TEXTS.filter((name) => event.type === 'SESSION' && isReference(event[name]));
    if (long.length === 0) return event;
    const texts = await Promise.all(long.map(async (name) => [name, await this.#text(event[name])]));
    return { ...event, ...Object.fromEntries(texts) };
  }

  async #text(reference: Reference) {
    const read = await this.#read(reference);
    return typeof read === 'string' ? read : String(reference.preview);
  }

  async #read(value: unknown) {
    if (!isReference(value) || value.kept === false) return value;
    try {
      const text = await this.#ledger.blob(value[REFERENCE]);
      return value.form === 'text' ? text : parseForeignJson(text);
    } catch {
      return { ...value, kept: false };
    }
  }

  async #all(query: LedgerQuery, start: number) {
    const found: LedgerEvent[] = [];
    for (let after = start; ; ) {
      const page = await this.#ledger.query({ ...query, after, limit: PAGE_EVENTS });
      for (const event of page) found.push(await this.#withTexts(event));
      if (page.length < PAGE_EVENTS) return found;
      after = page.at(-1)?.seq ?? after;
    }
  }
}

/** Whether a recorded value refers to one that is recorded elsewhere. */
export function isReference(value: unknown): value is Reference {
  return isRecord(value) && typeof value[REFERENCE] === 'string';
}

function unescaped(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return value;
  if (Array.isArray(value)) return value.map((item) => unescaped(item, depth + 1));
  const members = Object.entries(value).map(([key, item]) => [
    ESCAPED.test(key) ? key.slice(1) : key,
    unescaped(item, depth + 1),
  ]);
  return Object.fromEntries(members);
}
