/** Connections to the SQLite that is part of the addon. */

import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import type { BindingOutcome } from '../../../binding.cjs';
import type { DatabaseOptions, QueryLimits, SharedFile } from '../../boundary/crossing.js';
import { dropOldest } from '../../boundary/drop_oldest.js';
import { SqlError } from '../../boundary/errors.js';
import { guarded } from '../../boundary/guarded.js';
import { native } from '../../boundary/native.js';
import type { NativeDatabase } from '../../boundary/typed_native.js';
import { unwrap } from '../../boundary/unwrap.js';
import type { SqlConnection, SqlLimits, SqlNeed } from '../adapter.js';
import { BASE64 } from '../rows/values.js';
import { FairLock } from '../waiting/fair_lock.js';
import { SqliteProcess } from './sqlite_process.js';

type Opened = NativeDatabase | SqliteProcess;

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
const writers = new Map<string, FairLock>();

/** A file or in-memory database whose statements run on separate threads. */
export class EmbeddedDatabase {
  #file;
  #shared;
  #native: Opened | undefined;
  #idle: number[] = [];
  #leaving: NodeJS.Timeout | undefined;
  #places;
  #writing;
  #leadsToWrites = new Set<string>();

  /** @param shared for a file of the application, which may close it at any time: connections are kept only briefly */
  constructor(file: string, shared?: SharedFile) {
    this.#file = file;
    this.#shared = shared;
    // An in-memory database exists in one connection. On the application's file runs are serialised too: two runs that read
    // and then write would conflict, and without WAL deadlock.
    this.#places = new FairLock(file === MEMORY || shared ? 1 : MAX_CONNECTIONS);
    this.#writing = file === MEMORY ? new FairLock() : (writers.get(file) ?? new FairLock());
    if (file !== MEMORY) writers.set(file, this.#writing);
  }

  async connect(need: SqlNeed): Promise<SqlConnection> {
    const leave = await this.#places.acquire(need.signal);
    try {
      this.#refuseMissing(need.limits);
      this.#native ??= this.#open();
      const id = this.#idle.pop() ?? unwrap(await this.#native.connect());
      return this.#connection(this.#native, id, leave);
    } catch (error) {
      leave();
      throw error;
    }
  }

  /** Opening creates a missing file, which a caller that only reads must not do. */
  #refuseMissing({ readOnly }: SqlLimits) {
    if (!readOnly || this.#file === MEMORY || existsSync(this.#file)) return;
    throw new SqlError(
      `The database file "${basename(this.#file)}" does not exist, and with readOnly it is not created. Create the database, or correct the path in sqlite(…), which is relative to the current folder of the process.`,
      { details: { reason: 'missing' } },
    );
  }

  #open() {
    const options: DatabaseOptions = { file: this.#file, busyTimeoutMs: BUSY_TIMEOUT_MS, shared: this.#shared };
    const text = JSON.stringify(options);
    return this.#shared ? new SqliteProcess(text, () => this.#idle.splice(0)) : new (native().BindingDatabase)(text);
  }

  close() {
    clearTimeout(this.#leaving);
    for (const id of this.#idle.splice(0)) this.#native?.close(id);
  }

  #connection(database: Opened, id: number, leave: () => void): SqlConnection {
    let stopWriting: (() => void) | undefined;
    let begun: SqlNeed;
    let last: Promise<unknown> = Promise.resolve();
    /** @param work of the connection's thread, which executes sequentially */
    const noted = <T>(work: Promise<T>) => {
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

  #keep(id: number) {
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

  #cacheWriter(firstSql: string) {
    dropOldest(this.#leadsToWrites, MAX_CACHED);
    this.#leadsToWrites.add(firstSql);
  }
}

/** The rows as JSON text of the native part, which is forwarded to the sandbox without being parsed. */
function unwrapRaw(
  outcome: BindingOutcome,
  onFailure: (reason: unknown) => unknown,
): { rows: string | undefined; affected: number } {
  if (outcome.error) onFailure(JSON.parse(outcome.error.details).reason);
  const text = outcome.value;
  if (outcome.error || text === undefined) return unwrap(outcome);
  // `{"rows":…,"affected":n}`, in this order.
  const end = text.lastIndexOf(',"affected":');
  const rows = text.slice('{"rows":'.length, end);
  const affected = Number(text.slice(end + ',"affected":'.length, -1));
  return { rows: rows === 'null' ? undefined : rows, affected };
}

function limitsText({ maxRows, maxBytes, statementTimeoutMs }: SqlLimits) {
  const limits: QueryLimits = { maxRows, maxBytes, timeoutMs: statementTimeoutMs };
  return JSON.stringify(limits);
}

function encode(value: unknown) {
  if (typeof value === 'bigint') return { $integer: value.toString() };
  if (Buffer.isBuffer(value)) return { [BASE64]: value.toString('base64') };
  return value;
}
