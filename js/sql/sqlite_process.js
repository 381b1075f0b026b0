/** Client of the SQLite process for shared files. */

import { programPath, startBounded } from '../boundary/bounded_program.js';
import { guarded, ignored } from '../boundary/guarded.js';
import { FrameReader, writeFrame } from './frames.js';

/**
 * The addon's SQLite in a separate process, with the interface of the native database. Used for a file that another copy of SQLite
 * has open in this process.
 *
 * @typedef {import('../../binding.cjs').BindingOutcome} BindingOutcome
 * @typedef {import('node:child_process').ChildProcessByStdio<import('node:stream').Writable, import('node:stream').Readable, null>} Child
 */

/** Enough for the largest answer. */
const MAX_MEMORY_MB = 1_024;
/** How long an idle process without connections is kept. */
const IDLE_MS = 10_000;
/** Interval of heartbeats during a transaction: they show that this process is not blocked. */
const HEARTBEAT_MS = 50;

const ENDED = {
  code: 'ERR_SQL',
  message: 'The database process for tools has ended. Nothing of this run was written. Run it again.',
  details: JSON.stringify({ reason: 'closed' }),
};

/** For a run that was committing. */
const MAYBE_COMMITTED = {
  ...ENDED,
  message:
    'The database process for tools ended during the commit; it is unknown whether this run was written. Check the data before running it again.',
};

export class SqliteProcess {
  #options;
  #onEnd;
  /** @type {Running | undefined} */
  #running;

  /**
   * @param {string} options of the database, as JSON
   * @param {() => void} onEnd called when the process and its connections have ended
   */
  constructor(options, onEnd) {
    this.#options = options;
    this.#onEnd = onEnd;
  }

  /** @returns {Promise<import('../boundary/typed_native.js').Outcome<number>>} */
  async connect() {
    this.#running ??= new Running(this.#options, () => {
      this.#running = undefined;
      this.#onEnd();
    });
    const outcome = await this.#running.call('connect', []);
    if (outcome.value !== undefined) this.#running?.connected(Number(outcome.value));
    return outcome;
  }

  /**
   * @param {number} id
   * @param {string} mode
   * @param {string} options
   */
  begin(id, mode, options) {
    return this.#call('begin', [id, mode, options]);
  }

  /**
   * @param {number} id
   * @param {string} sql
   * @param {string} params
   * @param {string} limits
   */
  query(id, sql, params, limits) {
    return this.#call('query', [id, sql, params, limits]);
  }

  /**
   * @param {number} id
   * @param {string} action
   * @param {number} number
   */
  savepoint(id, action, number) {
    return this.#call('savepoint', [id, action, number]);
  }

  /** @param {number} id */
  commit(id) {
    return this.#call('commit', [id]);
  }

  /** @param {number} id */
  rollback(id) {
    return this.#call('rollback', [id]);
  }

  /** @param {number} id */
  cancel(id) {
    this.#call('cancel', [id]).catch(ignored);
  }

  /** @param {number} id */
  close(id) {
    this.#running?.close(id);
  }

  /**
   * @param {import('./sqlite_program.js').Method} method
   * @param {any[]} args
   * @returns {Promise<BindingOutcome>}
   */
  async #call(method, args) {
    return this.#running ? this.#running.call(method, args) : { error: ENDED };
  }
}

/** One child process, from start to end. */
class Running {
  /** @type {Child} */
  #child;
  #onEnd;
  #calls = 0;
  /** @type {Map<number, { id: number | undefined, method: string, settle: (outcome: BindingOutcome) => void }>} */
  #pending = new Map();
  /** @type {Set<number>} */
  #connections = new Set();
  /** Connections with an open transaction. @type {Set<number>} */
  #begun = new Set();
  /** @type {NodeJS.Timeout | undefined} */
  #beat;
  /** @type {NodeJS.Timeout | undefined} */
  #leaving;
  #hasEnded = false;

  /**
   * @param {string} options
   * @param {() => void} onEnd
   */
  constructor(options, onEnd) {
    this.#onEnd = onEnd;
    this.#child = startBounded(process.execPath, [programPath('sql/sqlite_program.js')], { memoryMb: MAX_MEMORY_MB });
    const end = () => this.#end();
    const reader = new FrameReader((header, body) => this.#answered(header, body));
    this.#child.on('error', end);
    this.#child.on('exit', end);
    this.#child.stdin.on('error', end);
    this.#child.stdout.on('error', end);
    this.#child.stdout.on(
      'data',
      guarded(end, (/** @type {Buffer} */ chunk) => reader.push(chunk)),
    );
    writeFrame(this.#child.stdin, { method: 'open' }, options);
  }

  /**
   * @param {import('./sqlite_program.js').Method} method
   * @param {any[]} args
   * @returns {Promise<BindingOutcome>}
   */
  call(method, args) {
    const [id] = args;
    clearTimeout(this.#leaving);
    return new Promise((resolve) => {
      this.#calls += 1;
      this.#pending.set(this.#calls, { id, method, settle: resolve });
      this.#hold();
      if (method === 'begin') this.#begun.add(id);
      writeFrame(this.#child.stdin, { call: this.#calls, method }, JSON.stringify(args));
    });
  }

  /** @param {number} id */
  connected(id) {
    this.#connections.add(id);
  }

  /**
   * Closes a connection. If it is busy, the whole process is killed.
   * @param {number} id
   */
  close(id) {
    this.#connections.delete(id);
    this.#begun.delete(id);
    if ([...this.#pending.values()].some((call) => call.id === id && call.method !== 'cancel')) this.#end();
    else this.call('close', [id]).then(() => this.#leaveSoon(), ignored);
  }

  #leaveSoon() {
    if (this.#connections.size > 0 || this.#pending.size > 0) return;
    const leave = guarded(ignored, () => this.#end());
    this.#leaving = setTimeout(leave, IDLE_MS).unref();
  }

  /**
   * @param {{ call: number, error?: any, isVoid: boolean }} header
   * @param {string} body
   */
  #answered({ call, error, isVoid }, body) {
    const pending = this.#pending.get(call);
    if (!pending) return;
    this.#pending.delete(call);
    if (pending.id !== undefined && (pending.method === 'commit' || pending.method === 'rollback'))
      this.#begun.delete(pending.id);
    this.#hold();
    pending.settle(error ? { error } : isVoid ? {} : { value: body });
  }

  /** Keeps the application's process alive only while calls are pending. */
  #hold() {
    const hold = this.#pending.size > 0 ? 'ref' : 'unref';
    const { stdin, stdout } = /** @type {any} */ (this.#child);
    for (const handle of [this.#child, stdin, stdout]) handle[hold]?.();
    if (this.#begun.size > 0) {
      const beat = guarded(ignored, () => writeFrame(this.#child.stdin, { method: 'still here' }));
      this.#beat ??= setInterval(beat, HEARTBEAT_MS).unref();
    } else {
      clearInterval(this.#beat);
      this.#beat = undefined;
    }
  }

  #end() {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    clearTimeout(this.#leaving);
    clearInterval(this.#beat);
    this.#child.kill('SIGKILL');
    const waiting = [...this.#pending.values()];
    this.#pending.clear();
    this.#onEnd();
    for (const { method, settle } of waiting) settle({ error: method === 'commit' ? MAYBE_COMMITTED : ENDED });
  }
}
