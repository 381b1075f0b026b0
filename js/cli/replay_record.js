/**
 * What a replay does outside its copy of the workspace, and what rules and people said of it, in the ledger of the workspace itself: the ledger of the copy goes with it.
 */

import { parseForeignJson } from '../boundary/foreign_json.js';

/**
 * @typedef {import('../../index.js').LedgerEvent} LedgerEvent
 * @typedef {import('../../index.js').AgentEvent} AgentEvent
 * @typedef {import('../kernel/tgp.js').TGP} TGP
 */

const PAGE_EVENTS = 1_000;
/** Deeper than any value of an event: arguments that are deeper are one text. */
const MAX_DEPTH = 64;
const DECISIONS = new Set(['DENIED', 'APPROVAL']);
/** What reaches beyond the copy whoever asks for it. */
const OUTSIDE = new Set(['sql', 'net', 'app', 'shell']);
/** Events of an agent between which calls are made. */
const PAUSES = new Set(['tool_call', 'tool_result', 'end']);

export class ReplayRecord {
  #copy;
  #original;
  #session;
  #last = 0;
  /** Calls that reach beyond the copy: only the first event of each says so. @type {Set<string>} */
  #calls = new Set();

  /**
   * @param {TGP} copy the kernel that replays
   * @param {TGP} original the kernel of the workspace
   * @param {string} session the one that is replayed
   */
  constructor(copy, original, session) {
    this.#copy = copy;
    this.#original = original;
    this.#session = session;
  }

  /** Before anything is done: a replay that is killed is in the record all the same. */
  async begin() {
    await this.#append({ state: 'begun' });
  }

  /**
   * The events of an agent, none of which is given before what was done until then is recorded.
   * @param {AsyncIterable<AgentEvent>} events
   */
  async *during(events) {
    for await (const event of events) {
      if (PAUSES.has(event.type)) await this.take();
      yield event;
    }
  }

  /** Takes over what is new. */
  async take() {
    for (;;) {
      const page = await this.#copy.ledger.query({ after: this.#last, limit: PAGE_EVENTS });
      for (const event of page) {
        if (this.#counts(event)) await this.#append(await this.#told(event));
        this.#last = event.seq;
      }
      if (page.length < PAGE_EVENTS) return;
    }
  }

  /** @param {LedgerEvent} event */
  #counts({ type, call = '', effect, actor }) {
    if (DECISIONS.has(type)) return true;
    // Tools write into folders of the application, agents into the copy.
    if (OUTSIDE.has(effect ?? '') || (effect === 'write' && actor.agent === 'tool')) this.#calls.add(call);
    return this.#calls.has(call);
  }

  /** @param {LedgerEvent} event */
  async #told({ seq: _, id, prev, hash, session, ...event }) {
    return { event: await this.#whole(event, MAX_DEPTH) };
  }

  /**
   * With the large values that the ledger of the copy keeps beside its events.
   * @param {any} value
   * @param {number} depth
   * @returns {Promise<any>}
   */
  async #whole(value, depth) {
    if (value === null || typeof value !== 'object') return value;
    if (typeof value.$blob === 'string') return this.#large(value);
    if (depth === 0) return undefined;
    if (Array.isArray(value)) return Promise.all(value.map((member) => this.#whole(member, depth - 1)));
    const members = Object.entries(value).map(async ([name, member]) => [name, await this.#whole(member, depth - 1)]);
    return Object.fromEntries(await Promise.all(members));
  }

  /** @param {import('../../index.js').LedgerBlob} large */
  async #large({ $blob: sha256, bytes, form, preview, kept }) {
    const text = kept === false ? undefined : await this.#copy.ledger.blob(sha256);
    if (typeof text !== 'string') return { sha256, bytes, preview };
    return form === 'json' ? parseForeignJson(text) : text;
  }

  /** @param {Record<string, unknown>} body */
  async #append(body) {
    const session = `replay-${this.#session}`;
    await this.#original.ledger.append({ session, actor: { agent: 'cli', id: '' }, replay: this.#session, ...body });
  }
}
