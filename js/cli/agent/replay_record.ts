/**
 * Copies events of a replay to the ledger of the workspace: calls with effects outside the copied workspace, and verdicts and
 * approvals. The ledger of the copy is deleted with the copy.
 */

import { parseForeignJson } from '../../boundary/foreign_json.js';
import type { TGP } from '../../kernel/tgp.js';
import type { AgentEvent } from '../../types/agent.js';
import type { LedgerBlob, LedgerEvent } from '../../types/ledger.js';

const PAGE_EVENTS = 1_000;
/** Maximum depth of event values; deeper arguments are recorded as one text. */
const MAX_DEPTH = 64;
const DECISIONS = new Set(['DENIED', 'APPROVAL']);
/** Effects outside the copy, regardless of the caller. */
const OUTSIDE = new Set(['sql', 'net', 'app', 'shell']);
/** Agent events before which the ledger is copied. */
const PAUSES = new Set(['tool_call', 'tool_result', 'end']);

export class ReplayRecord {
  #copy;
  #original;
  #session;
  #last = 0;
  /** Calls with effects outside the copy: only the first event of a call has its effect. */
  #calls = new Set<string>();

  /**
   * @param copy the kernel that replays
   * @param original the kernel of the workspace
   * @param session the replayed session
   */
  constructor(copy: TGP, original: TGP, session: string) {
    this.#copy = copy;
    this.#original = original;
    this.#session = session;
  }

  /** Records the start of the replay, so that a killed replay is recorded too. */
  async begin() {
    await this.#append({ state: 'begun' });
  }

  /** Passes agent events on after the ledger events before them are copied. */
  async *during(events: AsyncIterable<AgentEvent>) {
    for await (const event of events) {
      if (PAUSES.has(event.type)) await this.take();
      yield event;
    }
  }

  /** Copies new ledger events. */
  async take() {
    for (;;) {
      const page = await this.#copy.ledger.query({ after: this.#last, limit: PAGE_EVENTS });
      for (const event of page) {
        if (this.#isRelevant(event)) await this.#append(await this.#copyOf(event));
        this.#last = event.seq;
      }
      if (page.length < PAGE_EVENTS) return;
    }
  }

  #isRelevant({ type, call = '', effect, actor }: LedgerEvent) {
    if (DECISIONS.has(type)) return true;
    // A write by a tool goes to a folder of the application, a write by an agent to the copy.
    if (OUTSIDE.has(effect ?? '') || (effect === 'write' && actor.agent === 'tool')) this.#calls.add(call);
    return this.#calls.has(call);
  }

  async #copyOf({ seq: _, id, prev, hash, session, ...event }: LedgerEvent) {
    return { event: await this.#resolve(event, MAX_DEPTH) };
  }

  /** Resolves large values that the ledger of the copy stores outside of events. */
  async #resolve(value: unknown, depth: number): Promise<unknown> {
    if (value === null || typeof value !== 'object') return value;
    if (isBlob(value)) return this.#large(value);
    if (depth === 0) return undefined;
    if (Array.isArray(value)) return Promise.all(value.map((member) => this.#resolve(member, depth - 1)));
    const members = Object.entries(value).map(async ([name, member]) => [name, await this.#resolve(member, depth - 1)]);
    return Object.fromEntries(await Promise.all(members));
  }

  async #large({ $blob: sha256, bytes, form, preview, kept }: LedgerBlob) {
    const text = kept === false ? undefined : await this.#copy.ledger.blob(sha256);
    if (typeof text !== 'string') return { sha256, bytes, preview };
    return form === 'json' ? parseForeignJson(text) : text;
  }

  async #append(body: Record<string, unknown>) {
    const session = `replay-${this.#session}`;
    await this.#original.ledger.append({ session, actor: { agent: 'cli', id: '' }, replay: this.#session, ...body });
  }
}

function isBlob(value: object): value is LedgerBlob {
  return '$blob' in value && typeof value.$blob === 'string';
}
