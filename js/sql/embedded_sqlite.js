import { dropOldest } from '../boundary/drop_oldest.js';
import { unwrap } from '../boundary/errors.js';
import { guarded } from '../boundary/guarded.js';
import { native } from '../boundary/native.js';
import { FairLock } from './fair_lock.js';
import { SqliteProcess } from './sqlite_process.js';
import { BASE64 } from './values.js';

/**
 * @typedef {import('./adapter.js').SqlConnection} SqlConnection
 * @typedef {import('./adapter.js').SqlNeed} SqlNeed
 * @typedef {import('./adapter.js').SqlLimits} SqlLimits
 * @typedef {import('../boundary/typed_native.js').NativeDatabase | SqliteProcess} Opened
 * @typedef {import('../boundary/crossing.js').SharedFile} SharedFile how the application's own connection has the file open
 */

const MEMORY = ':memory:';
/** How long to wait for a lock that another process holds. */
const BUSY_TIMEOUT_MS = 5_000;
/** Connections, and threads, of one database; further runs wait their turn. */
const MAX_CONNECTIONS = 8;
/** First statements of runs that went on to write, remembered so that the next such run takes the write lock at once. */
const MAX_REMEMBERED = 1_000;
/** How long a connection to the application's own file is kept for the next run. */
const IDLE_MS = 1_000;

/** One writer at a time and in order within this process, by file; SQLite itself would let them race. */
const writers = new Map();

/** A file, or a database in memory, in the SQLite that is part of the addon: statements run on threads of their own. */
export class EmbeddedDatabase {
  #file;
  #shared;
  /** @type {Opened | undefined} */
  #native;
  /** @type {number[]} */
  #idle = [];
  /** @type {NodeJS.Timeout | undefined} */
  #leaving;
  #places;
  #writing;
  /** @type {Set<string>} */
  #leadsToWrites = new Set();

  /**
   * @param {string} file
   * @param {SharedFile} [shared] for a file that is the application's: it closes it when it likes, so nothing is kept long
   */
  constructor(file, shared) {
    this.#file = file;
    this.#shared = shared;
    // A database in memory is its connection. On the application's file runs take turns, as they would on its connection:
    // two that read first and then write would get into each other's way, without WAL even for good.
    this.#places = new FairLock(file === MEMORY || shared ? 1 : MAX_CONNECTIONS);
    this.#writing = file === MEMORY ? new FairLock() : (writers.get(file) ?? new FairLock());
    if (file !== MEMORY) writers.set(file, this.#writing);
  }

  /**
   * @param {SqlNeed} need
   * @returns {Promise<SqlConnection>}
   */
  async connect(need) {
    const leave = await this.#places.acquire(need.signal);
    try {
      this.#native ??= this.#open();
      const id = this.#idle.pop() ?? unwrap(await this.#native.connect());
      return this.#connection(this.#native, id, leave);
    } catch (error) {
      leave();
      throw error;
    }
  }

  #open() {
    /** @type {import('../boundary/crossing.js').DatabaseOptions} */
    const options = { file: this.#file, busyTimeoutMs: BUSY_TIMEOUT_MS, shared: this.#shared };
    const text = JSON.stringify(options);
    return this.#shared ? new SqliteProcess(text, () => this.#idle.splice(0)) : new (native().BindingDatabase)(text);
  }

  close() {
    clearTimeout(this.#leaving);
    for (const id of this.#idle.splice(0)) this.#native?.close(id);
  }

  /**
   * @param {Opened} database
   * @param {number} id
   * @param {() => void} leave
   * @returns {SqlConnection}
   */
  #connection(database, id, leave) {
    /** @type {(() => void) | undefined} */
    let stopWriting;
    /** @type {SqlNeed} */
    let begun;
    /** @type {Promise<unknown>} */
    let last = Promise.resolve();
    /**
     * @template T
     * @param {Promise<T>} work of the thread, which does one thing after the other
     */
    const noted = (work) => {
      last = work;
      return work;
    };
    const free = () => {
      stopWriting?.();
      leave();
    };
    return {
      begin: async (need) => {
        begun = need;
        const { access, firstSql, limits, signal } = need;
        const mode = !limits.readOnly && (access !== 'read' || this.#leadsToWrites.has(firstSql)) ? 'write' : 'read';
        if (mode === 'write') stopWriting = await this.#writing.acquire(signal);
        unwrap(await noted(database.begin(id, mode, JSON.stringify(limits))));
      },
      query: async ({ sql, values, access }, limits) => {
        // A run that began by reading: if nobody has written since, it may go on as the writer.
        if (access !== 'read') stopWriting ??= await this.#writing.acquire(begun.signal);
        const { rows, affected } = unwrapRaw(
          await noted(database.query(id, sql, JSON.stringify(values.map(encode)), limitsText(limits))),
          (reason) => reason === 'conflict' && this.#remember(begun.firstSql),
        );
        return { rows, affected };
      },
      savepoint: async (action, number) => {
        unwrap(await noted(database.savepoint(id, action, number)));
      },
      commit: async () => unwrap(await noted(database.commit(id))),
      rollback: async () => unwrap(await noted(database.rollback(id))),
      cancel: () => database.cancel(id),
      release: (state) => {
        if (state === 'clean') {
          this.#keep(id);
          free();
          return;
        }
        database.close(id);
        // Until it has come to its end, a statement that did not stop has its thread, its memory and the file's lock.
        last.then(free, free);
      },
    };
  }

  /** @param {number} id */
  #keep(id) {
    this.#idle.push(id);
    if (!this.#shared) return;
    clearTimeout(this.#leaving);
    this.#leaving = setTimeout(
      guarded(
        () => {},
        () => this.close(),
      ),
      IDLE_MS,
    ).unref();
  }

  /** @param {string} firstSql */
  #remember(firstSql) {
    dropOldest(this.#leadsToWrites, MAX_REMEMBERED);
    this.#leadsToWrites.add(firstSql);
  }
}

/**
 * The rows as the text that the native side wrote: it goes to the sandbox without being read here.
 * @param {import('../../binding.cjs').BindingOutcome} outcome
 * @param {(reason: unknown) => unknown} onFailure
 */
function unwrapRaw(outcome, onFailure) {
  if (outcome.error) onFailure(JSON.parse(outcome.error.details).reason);
  const text = outcome.value;
  if (outcome.error || text === undefined) return unwrap(outcome);
  // `{"rows":…,"affected":n}`, in this order.
  const end = text.lastIndexOf(',"affected":');
  const rows = text.slice('{"rows":'.length, end);
  const affected = Number(text.slice(end + ',"affected":'.length, -1));
  return { rows: rows === 'null' ? undefined : rows, affected };
}

/** @param {SqlLimits} limits */
function limitsText({ maxRows, maxBytes, statementTimeoutMs }) {
  /** @type {import('../boundary/crossing.js').QueryLimits} */
  const limits = { maxRows, maxBytes, timeoutMs: statementTimeoutMs };
  return JSON.stringify(limits);
}

/** @param {unknown} value */
function encode(value) {
  if (typeof value === 'bigint') return { $integer: value.toString() };
  if (Buffer.isBuffer(value)) return { [BASE64]: value.toString('base64') };
  return value;
}
