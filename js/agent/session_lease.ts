/** The lease of one process on a session: recorded when it begins, renewed by a heartbeat, recorded when it ends. */

import { randomUUID } from 'node:crypto';
import { LedgerError, ValidationError } from '../boundary/errors.js';
import { guarded } from '../boundary/guarded.js';
import { messageOf } from '../boundary/thrown.js';
import type { ProcessIdentity } from '../kernel/sessions/process_identity.js';
import {
  BEAT_MS,
  isAlive,
  isHere,
  isIdentity,
  isOwn,
  LEASE_MS,
  ownIdentity,
} from '../kernel/sessions/process_identity.js';
import type { RecordedSession } from '../kernel/sessions/recorded_session.js';
import type { Logger } from '../types/kernel.js';
import type { LedgerEvent } from '../types/ledger.js';

const MAX_HOST_CHARS = 100;

export class SessionLease {
  take = randomUUID();
  #session;
  #log;
  #append;
  #logger;
  /** The ledger position of its take event. */
  #takenAt = 0;
  /** When this process last renewed it. */
  #seen = 0;
  /** Whether another process may have taken the session, because this one did not renew in time. */
  #isDoubtful = false;
  #beat: NodeJS.Timeout | undefined;

  constructor(
    session: string,
    log: { events: (session: string, after?: number) => Promise<LedgerEvent[]> },
    append: (what: string, body: Record<string, unknown>) => Promise<void>,
    logger: Logger,
  ) {
    this.#session = session;
    this.#log = log;
    this.#append = append;
    this.#logger = logger;
  }

  /**
   * Takes the session. If two processes take it at the same time, the first take event wins: both read the log after storing their
   * own.
   */
  async begin(known: RecordedSession | undefined) {
    for (const { mark, seen } of known?.takes.values() ?? []) {
      if (isOther(mark, seen)) throw busy(this.#session, byOther(mark));
    }
    const seen = Date.now();
    await this.#append('agent take', { take: this.take, mark: ownIdentity() });
    const later = await this.#log.events(this.#session, known?.last ?? 0);
    // Without stored events the first taker is unknown. The redact hook of the application may have removed members.
    if (later.length === 0) throw notStored(this.#session);
    for (const event of later) {
      if (event.what === 'agent take' && event.take === this.take) {
        this.#takenAt = event.seq;
        break;
      }
      const mark = takenBy(event, known);
      if (mark === undefined || !isOther(mark, Date.parse(event.ts))) continue;
      await this.#append('agent left', { take: this.take });
      throw busy(this.#session, byOther(mark));
    }
    this.#seen = seen;
    const complain = (error: unknown) =>
      this.#logger.warn(`The lease of the session "${this.#session}" was not renewed: ${messageOf(error)}`);
    this.#beat = setInterval(
      guarded(complain, () => this.#renew()),
      BEAT_MS,
    ).unref();
  }

  /** Throws if another process has taken the session because this one did not renew in time. */
  async check() {
    if (!this.#isDoubtful && !this.#isLate(Date.now())) return;
    await this.#renew();
    const later = await this.#log.events(this.#session, this.#takenAt);
    const left = new Set(later.filter(({ what }) => what === 'agent left').map(({ take }) => take));
    const other = later.find(({ what, take }) => what === 'agent take' && !left.has(take));
    if (other !== undefined) throw busy(this.#session, byOther(isIdentity(other.mark) ? other.mark : undefined));
    this.#isDoubtful = false;
  }

  end() {
    clearInterval(this.#beat);
  }

  /** Renews the lease, for processes on other hosts that cannot check whether this one is alive. */
  async #renew() {
    const seen = Date.now();
    // A late heartbeat does not undo what another process did before it.
    this.#isDoubtful ||= this.#isLate(seen);
    await this.#append('agent beat', { take: this.take });
    this.#seen = seen;
  }

  #isLate(now: number) {
    return Math.abs(now - this.#seen) >= LEASE_MS / 2;
  }
}

/** The process that takes the session, or renews its lease. */
function takenBy({ what, take, mark }: LedgerEvent, known: RecordedSession | undefined): ProcessIdentity | undefined {
  const holder = what === 'agent beat' ? known?.takes.get(String(take))?.mark : mark;
  return (what === 'agent take' || what === 'agent beat') && isIdentity(holder) ? holder : undefined;
}

function notStored(session: string) {
  return new LedgerError(
    `The session "${session}" cannot be taken: the ledger did not store its last events. Free disk space or make its folder writable, then try again.`,
  );
}

/** The error for a session that another run has open. */
export function busy(session: string, by: string) {
  return new ValidationError(`The session "${session}" is in use ${by}. Wait until that run has ended.`, {
    details: { field: 'session' },
  });
}

/** Whether another live process or thread has the session. Sessions of this thread are tracked separately. */
function isOther(mark: unknown, seen: number): mark is ProcessIdentity {
  return isIdentity(mark) && isAlive(mark, seen) && !isOwn(mark);
}

function byOther(mark: ProcessIdentity | undefined) {
  const isLocal = mark ? isHere(mark) : false;
  const thread = isLocal && mark?.pid === process.pid ? 'another thread of ' : '';
  return `by ${thread}process ${mark?.pid}${isLocal ? '' : ` on ${String(mark?.host).slice(0, MAX_HOST_CHARS)}`}`;
}
