/** The right of one process to work on a session: said when it begins, again and again, and when it ends. */

import { randomUUID } from 'node:crypto';
import { ValidationError } from '../boundary/errors.js';
import { guarded } from '../boundary/guarded.js';
import { messageOf } from '../boundary/thrown.js';
import { BEAT_MS, isAlive, isHere, LEASE_MS, ownMark } from '../kernel/process_mark.js';

/**
 * @typedef {import('../kernel/session_fold.js').FoldedSession} FoldedSession
 * @typedef {import('../../index.js').LedgerEvent} LedgerEvent
 */

const MAX_HOST_CHARS = 100;

export class SessionLease {
  take = randomUUID();
  #session;
  #log;
  #append;
  #logger;
  /** The event that says that it was taken up. */
  #takenAt = 0;
  /** When this process last said that it works on it. */
  #seen = 0;
  /** @type {NodeJS.Timeout | undefined} */
  #beat;

  /**
   * @param {string} session
   * @param {{ settled: () => Promise<void>, events: (session: string, after?: number) => Promise<LedgerEvent[]> }} log
   * @param {(what: string, body: Record<string, any>) => Promise<void>} append
   * @param {import('../../index.js').Logger} logger
   */
  constructor(session, log, append, logger) {
    this.#session = session;
    this.#log = log;
    this.#append = append;
    this.#logger = logger;
  }

  /**
   * Says that this process works on the session. Of two that do so at the same moment, the first has it.
   * @param {FoldedSession | undefined} known
   */
  async begin(known) {
    for (const { mark, seen } of known?.takes.values() ?? []) {
      if (isOther(mark, seen)) throw busy(this.#session, byOther(mark));
    }
    const seen = Date.now();
    await this.#append('agent take', { take: this.take, mark: ownMark() });
    for (const { what, take, mark, ts, seq } of await this.#eventsAfter(known?.last ?? 0)) {
      if (what !== 'agent take') continue;
      if (take === this.take) {
        this.#takenAt = seq;
        break;
      }
      if (!isOther(mark, Date.parse(ts))) continue;
      await this.#append('agent left', { take: this.take });
      throw busy(this.#session, byOther(mark));
    }
    this.#seen = seen;
    const complain = (/** @type {unknown} */ error) =>
      this.#logger.warn(`It was not recorded that the session "${this.#session}" goes on: ${messageOf(error)}`);
    this.#beat = setInterval(
      guarded(complain, () => this.#renew()),
      BEAT_MS,
    ).unref();
  }

  /** Refuses to go on where another process may have the session, because this one stood still for too long. */
  async check() {
    if (Date.now() - this.#seen < LEASE_MS / 2) return;
    await this.#renew();
    const later = await this.#eventsAfter(this.#takenAt);
    const left = new Set(later.filter(({ what }) => what === 'agent left').map(({ take }) => take));
    const other = later.find(({ what, take }) => what === 'agent take' && !left.has(take));
    if (other !== undefined) throw busy(this.#session, byOther(other.mark));
  }

  end() {
    clearInterval(this.#beat);
  }

  /** Says that this process still works on the session: whoever cannot look for it believes that for a while. */
  async #renew() {
    const seen = Date.now();
    await this.#append('agent beat', { take: this.take });
    this.#seen = seen;
  }

  /** @param {number} after */
  async #eventsAfter(after) {
    await this.#log.settled();
    return this.#log.events(this.#session, after);
  }
}

/**
 * @param {string} session
 * @param {string} by
 */
export function busy(session, by) {
  return new ValidationError(`The session "${session}" is being worked on ${by}. Wait until that has ended.`, {
    details: { field: 'session' },
  });
}

/**
 * Whether another process, which lives, says that it works on a session. Of this one it is known.
 * @param {any} mark
 * @param {number} seen
 */
function isOther(mark, seen) {
  return isAlive(mark, seen) && !(mark.pid === process.pid && isHere(mark));
}

/** @param {any} mark */
function byOther(mark) {
  return `by process ${mark?.pid}${isHere(mark ?? {}) ? '' : ` on ${String(mark?.host).slice(0, MAX_HOST_CHARS)}`}`;
}
