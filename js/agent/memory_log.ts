/** Sessions without a ledger. */

import type { LedgerEvent } from '../types/ledger.js';

/** Members of the ledger's hash chain, which these events are not part of. */
const UNCHAINED = { id: '', prev: '', hash: '' };

/** An in-memory session log for kernels without a ledger. It is lost at the end of the run. */
export class MemoryLog {
  #events: LedgerEvent[] = [];

  async append(
    session: string,
    actor: { agent: string; id: string },
    body: { what: string; [member: string]: unknown },
  ) {
    const { length } = this.#events;
    const ts = new Date().toISOString();
    this.#events.push({ ...UNCHAINED, seq: length + 1, type: 'SESSION', ts, session, actor, ...body });
  }

  async events(session: string, after = 0) {
    return this.#events.filter((event) => event.session === session && event.seq > after);
  }

  async settled() {}

  async whole(value: unknown) {
    return value;
  }
}
