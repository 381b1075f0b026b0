/** Connections to the SQLite that is part of the addon. */

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
 * @typedef {import('../boundary/crossing.js').SharedFile} SharedFile how the application has opened the file
 */

const MEMORY = ':memory:';
/** How long to wait for a lock of another process. */
const BUSY_TIMEOUT_MS = 5_000;
/** Maximum number of connections, each with a thread, of a database; further runs wait. */
const MAX_CONNECTIONS = 8;
/** First statements of runs that later wrote, cached so that the next such run takes the write lock immediately. */
const MAX_CACHED = 1_000;
/** How long an idle connection to the application's file is kept. */
const IDLE_MS = 1_000;

/** One fair write lock per file within this process; SQLite's own lock is not fair. */
const writers = new Map();

/** A file or in-memory database whose statements run on separate threads. */
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
   * @param {SharedFile} [shared] for a file of the application, which may close it at any time: connections are kept only briefly
   */
  constructor(file, shared) {
    this.#file = file;
    this.#shared = shared;
    // An in-memory database exists in one connection. On the application's file runs are serialised too: two runs that read
    // and then write would conflict, and without WAL deadlock.
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
     * @param {Promise<T>} work of the connection's thread, which executes sequentially
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
        // A run that began by reading becomes the writer, unless another run has written since.
        if (access !== 'read') stopWriting ??= await this.#writing.acquire(begun.signal);
        const { rows, affected } = unwrapRaw(
          await noted(database.query(id, sql, JSON.stringify(values.map(encode)), limitsText(limits))),
          (reason) => reason === 'conflict' && this.#cacheWriter(begun.firstSql),
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
        // A statement that could not be stopped keeps its thread, memory and lock until it ends.
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
  #cacheWriter(firstSql) {
    dropOldest(this.#leadsToWrites, MAX_CACHED);
    this.#leadsToWrites.add(firstSql);
  }
}

/**
 * The rows as JSON text of the native part, which is forwarded to the sandbox without being parsed.
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
